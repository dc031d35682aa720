import { get, sendJson } from "../requests.ts";
import { answered, type Row } from "../row.ts";
import { requestsRow } from "./requests-row.ts";
import { addDeliveries, watchAll } from "./watching.ts";

const CONNECTIONS = 8;
/** Requests a second that Profi allows. */
const RATE = 30;
const CHANGES_PER_SECOND = 10;
const HOUR_MS = 60 * 60 * 1000;
const DELIVERIES = 6_000;
const PINGS_MOST = 6;
const MINUTE_S = 60;

const changing = { connections: CONNECTIONS, perSecond: CHANGES_PER_SECOND };

export const webhookRows: Row[] = [
  requestsRow({
    ...changing,
    name: "patch-same",
    does: "changes 5 webhooks x 5,000 channels 10 times a second, to the same list",
    async requests(stage) {
      const { key } = stage.data.neighbour;
      return (await watchAll(stage)).map(({ path, channels }) =>
        sendJson("PATCH", path, key, JSON.stringify({ channels })),
      );
    },
  }),
  requestsRow({
    ...changing,
    name: "patch-other",
    does: "changes 5 webhooks x 5,000 channels 10 times a second, from list to disjoint list",
    async requests(stage) {
      const { key } = stage.data.neighbour;
      const webhooks = await watchAll(stage);
      const others = [...webhooks.slice(1), ...webhooks.slice(0, 1)];
      return [others, webhooks].flatMap((lists) =>
        webhooks.map(({ path }, at) =>
          sendJson("PATCH", path, key, JSON.stringify({ channels: lists[at]?.channels })),
        ),
      );
    },
  }),
  requestsRow({
    ...{ name: "list-webhooks", connections: CONNECTIONS, perSecond: RATE },
    does: "reads the list of 5 webhooks x 5,000 channels 30 times a second",
    async requests(stage) {
      await watchAll(stage);
      return [get("/v1/msgr/webhooks/", stage.data.neighbour.key)];
    },
  }),
  requestsRow({
    ...{ name: "list-deliveries", connections: CONNECTIONS, perSecond: RATE },
    does: "reads a page of the log of 6,000 deliveries 30 times a second",
    async requests(stage) {
      const [webhook] = await watchAll(stage);
      if (webhook === undefined) return [];
      addDeliveries(stage, webhook.id, { count: DELIVERIES, ageMs: HOUR_MS });
      return [get(`${webhook.path}deliveries/?limit=100`, stage.data.neighbour.key)];
    },
  }),
  {
    name: "pings",
    does: "creates, tests and deletes a webhook in a loop, for a minute",
    rounds: 1,
    async beside(stage) {
      const { neighbour, channels } = stage.data;
      const url = `https://${stage.receiver}/ping`;
      await stage.received();
      const outcomes = await stage.load(
        { kind: "webhooks", key: neighbour.key, url, channel: channels[0] ?? 1 },
        MINUTE_S,
      );
      const { ping = 0 } = await stage.received();
      const { notes } = answered(outcomes);
      const broken = ping > PINGS_MOST ? [`${ping} pings reached one host in a minute`] : [];
      return { notes: [`${ping} pings reached the host`, ...notes], broken };
    },
  },
];
