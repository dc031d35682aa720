import { STATISTICS_CELLS_MAX } from "../../../../src/catalog/statistics/statistics.ts";
import { CHANNEL_DATA } from "../../../../src/doors/http/docs/document-head.ts";
import { openApiText } from "../../../../src/doors/http/docs/openapi.ts";
import { formatDay, parseDay } from "../../../../src/values/moscow-time.ts";
import { apiMethods, toolMethods } from "../../../../src/verbs/methods/table.ts";
import { MODERN_META, MODERN_VERSION } from "../../../support/mcp-requests.ts";
import type { OpenApiDocument, OpenApiOperation } from "../../../support/published-schemas.ts";
import { until } from "../../../support/until.ts";
import { type Dear, type Described, dearest } from "../dearest.ts";
import { type SentRequest, sendJson, withKey } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import { addAlerts, importFresh, wordAt } from "./posts.ts";
import { requestsRow } from "./requests-row.ts";
import { addDeliveries, CHANNELS_MAX, watchAll } from "./watching.ts";

/** Rows made from the OpenAPI document: a new operation has one without anybody adding it. */

/** Requests a second that Profi allows. */
const RATE = 30;
const CONNECTIONS = 8;
/** Different calls of an operation, sent in turn. */
const CALLS = 120;
/** The longest period, in days. */
const PERIOD_DAYS = 366;
const POSTS = 20_000;
const DELIVERIES = 6_000;
/** Profi's limit. */
const ALERTS_MAX = 200;
const HOUR_MS = 60 * 60 * 1000;

interface Operation {
  verb: string;
  path: string;
  operation: OpenApiOperation;
}

const { paths } = JSON.parse(await openApiText(CHANNEL_DATA, apiMethods, "")) as OpenApiDocument;
const operations = Object.entries(paths).flatMap(([path, ofPath]) =>
  Object.entries(ofPath).map(([verb, operation]): Operation => {
    return { verb: verb.toUpperCase(), path, operation };
  }),
);

/** The operation that creates what this one deletes; for any other, the operation itself. */
function creatorOf(one: Operation): Operation {
  const creator = operations.find(({ verb, path }) => verb === "POST" && isOf(one.path, path));
  return one.verb === "DELETE" && creator !== undefined ? creator : one;
}

const isOf = (item: string, list: string): boolean => item === `${list}{id}/`;

/** Creating and deleting is one load: what was created is deleted, so that the plan allows the next one. */
const isCreator = ({ verb, path }: Operation): boolean =>
  verb === "POST" && operations.some((one) => one.verb === "DELETE" && isOf(one.path, path));

function describedBy({ operation }: Operation, place: "path" | "query" | "body"): Described[] {
  if (place !== "body") return (operation.parameters ?? []).filter((one) => one.in === place);
  const { properties = {}, required = [] } =
    operation.requestBody?.content["application/json"].schema ?? {};
  return Object.entries(properties).map(([name, schema]) => {
    return { name, required: required.includes(name), schema };
  });
}

function requestOf(one: Operation, key: string, dear: Dear, at: number): SentRequest {
  const inPath = dearest(describedBy(one, "path"), dear, at);
  const given = Object.entries(dearest(describedBy(one, "query"), dear, at));
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, `${value}`]),
  );
  const path = one.path.replace(/\{(\w+)\}/g, (_, name: string) => `${inPath[name]}`);
  const target = query.size === 0 ? path : `${path}?${query}`;
  const fields = describedBy(one, "body");
  const request =
    fields.length === 0
      ? { verb: one.verb, path: target, headers: withKey(key) }
      : sendJson(one.verb, target, key, JSON.stringify(dearest(fields, dear, at)));
  return { ...request, ...(isCreator(one) && { isUndone: true }) };
}

/** Prepares what the path is about. @returns dear values of it */
async function dearFor(stage: Stage, one: Operation): Promise<Dear> {
  const { path } = one;
  const isOfHooks = /\/(?:webhooks|alerts)\//.test(path);
  const webhooks =
    isOfHooks && !(isCreator(one) && path.includes("/webhooks/")) ? await watchAll(stage) : [];
  const [webhook = { id: 0 }] = webhooks;
  if (path.endsWith("/deliveries/")) {
    addDeliveries(stage, webhook.id, { count: DELIVERIES, ageMs: HOUR_MS });
  }
  const sent = path.includes("/resend/") ? await deliver(stage, webhook.id) : [];
  const count = path.endsWith("/alerts/") && one.verb === "GET" ? ALERTS_MAX : 1;
  const isOfAlerts = path.includes("/alerts/") && !isCreator(one);
  const alerts = isOfAlerts ? await addAlerts(stage, webhook.id, count) : [];
  const isAboutPosts = /\/(?:posts|mentions|similar|preview)\//.test(path);
  if (isAboutPosts) await importFresh(stage, 0, POSTS);
  return {
    ...dearValues(stage, path),
    webhook: () => webhook.id,
    id: (at) =>
      path.includes("/alerts/")
        ? alerts[0]
        : (webhooks[sent.length > 0 ? 0 : at % webhooks.length]?.id ?? FIRST_POST + at),
    delivery: (at) => sent[at % sent.length],
  };
}

/** Has posts imported and waits until an event about them is delivered. @returns the deliveries of a webhook */
async function deliver(stage: Stage, webhook: number): Promise<number[]> {
  await importFresh(stage, 0, POSTS);
  const delivered = (): number[] =>
    stage.machine
      .query<{ id: number }>(
        `SELECT id FROM webhook_deliveries
         WHERE webhook_id = ? AND event = 'post.created' AND state = 'delivered' LIMIT 100`,
        webhook,
      )
      .map(({ id }) => id);
  await until(() => delivered().length > 0, "a delivered event");
  return delivered();
}

/** Number of the first post that is imported here. */
const FIRST_POST = 10_000_000;

/** Values that cost much, by name. */
function dearValues({ data, machine, receiver }: Stage, path: string): Dear {
  const { channels, strings, lastDay } = data;
  const handles = machine.query<{ handle: string }>(
    "SELECT handle FROM channel_cards WHERE handle IS NOT NULL LIMIT 200",
  );
  const some = (at: number, count: number): number[] =>
    Array.from({ length: count }, (_, place) => channels[(at * 61 + place) % channels.length] ?? 0);
  return {
    // Without these, an answer has all fields, from the first page on.
    cursor: () => undefined,
    fields: () => undefined,
    // Instead of all other arguments; now and then.
    ids: (at, longest) => (at % 8 === 7 ? some(at, longest).join() : undefined),
    from: () => formatDay((parseDay(lastDay) ?? 0) - PERIOD_DAYS + 1),
    to: () => lastDay,
    channel: (at, _longest, schema) =>
      path.includes("{channel}") ? channels[at % 200] : schema.anyOf && null,
    channels: (at, longest, schema) => {
      const cells = path.includes("/stats/daily/") ? STATISTICS_CELLS_MAX / PERIOD_DAYS : longest;
      const most = Math.floor(Math.min(longest, cells, CHANNELS_MAX, channels.length / 5));
      return schema.type === "array" ? some(at, most) : some(at, most).join();
    },
    q: (at) => {
      if (path.includes("/resolve/")) return `@${handles[at % handles.length]?.handle}`;
      if (/\/(?:posts|alerts)\//.test(path)) return dearWords(at);
      const string = strings[at % strings.length] ?? "";
      return at % 3 === 0 ? string : string.slice(0, 3);
    },
    category: (at) => (at % 3 === 0 ? "news" : undefined),
    territory: (at) => (at % 3 === 1 ? "russia" : undefined),
    parent: () => "russia",
    name: (at) => `Alert ${at}`,
    url: (at) => `https://${receiver}/hook/${at % 5}`,
  };
}

/** Texts to search posts for: two frequent beginnings, twenty words, a phrase, an exact form. */
function dearWords(at: number): string {
  const word = wordAt(at);
  switch (at % 4) {
    case 0:
      return `${word.slice(0, 3)}* ${wordAt(at + 1).slice(0, 3)}*`;
    case 1:
      return Array.from({ length: 20 }, (_, place) => wordAt(at + place)).join(" | ");
    case 2:
      return `"${word} ${wordAt(at + 1)}" | ${word.slice(0, 3)}*`;
    default:
      return `=${word}`;
  }
}

function operationRow(one: Operation): Row {
  const sent = creatorOf(one);
  const { operationId } = one.operation;
  return requestsRow({
    name: operationId,
    does: `calls ${operationId}${isCreator(sent) ? ", creating and deleting" : ""} ${RATE} times a second`,
    // What is created and deleted again exists once for each connection, and the plan allows five.
    connections: isCreator(sent) ? CONNECTIONS / 2 : CONNECTIONS,
    ...{ perSecond: RATE, rounds: "until kept", isLegal: true },
    async requests(stage) {
      const dear = await dearFor(stage, sent);
      return Array.from({ length: CALLS }, (_, at) =>
        requestOf(sent, stage.data.neighbour.key, dear, at),
      );
    },
  });
}

const CALLS_OF_TOOL = 12;
const ERAS = { legacy: "2025-11-25", modern: MODERN_VERSION };

/** All tools in turn: an operation's own row shows what it costs, this one what the MCP server adds. */
function toolsRow(era: keyof typeof ERAS): Row {
  return requestsRow({
    name: `mcp-${era}`,
    does: `calls all MCP tools in turn ${RATE} times a second, by the ${era} protocol`,
    ...{ connections: CONNECTIONS, perSecond: RATE, rounds: "until kept", isLegal: true },
    async requests(stage) {
      await importFresh(stage, 0, POSTS);
      const { key } = stage.data.neighbour;
      return Array.from({ length: CALLS_OF_TOOL }, (_, at) => at).flatMap((at) =>
        toolMethods.flatMap(({ operationId }) => {
          const one = operations.find(({ operation }) => operation.operationId === operationId);
          if (one === undefined) return [];
          const dear: Dear = { ...dearValues(stage, one.path), id: (post) => FIRST_POST + post };
          const described = [...describedBy(one, "path"), ...describedBy(one, "query")];
          return [toolCall(era, key, operationId, dearest(described, dear, at))];
        }),
      );
    },
  });
}

function toolCall(era: keyof typeof ERAS, key: string, name: string, given: object): SentRequest {
  const params = { name, arguments: given, ...(era === "modern" && { _meta: MODERN_META }) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const request = sendJson("POST", "/v1/mcp/", key, body);
  const modern = { "mcp-method": "tools/call", "mcp-name": name };
  const headers = { "mcp-protocol-version": ERAS[era], ...(era === "modern" && modern) };
  return { ...request, headers: { ...request.headers, ...headers } };
}

export const operationRows: Row[] = [
  ...operations.map(operationRow),
  toolsRow("legacy"),
  toolsRow("modern"),
];
