import { sendJson } from "../requests.ts";
import { answered, type Row } from "../row.ts";
import { requestsRow } from "./requests-row.ts";
import { watchAll } from "./watching.ts";

const CONNECTIONS = 8;
const CHANGES_PER_SECOND = 10;
const PINGS_MOST = 6;
const MINUTE_S = 60;

export const webhookRows: Row[] = [
  requestsRow({
    ...{ name: "patch-other", connections: CONNECTIONS, perSecond: CHANGES_PER_SECOND },
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
