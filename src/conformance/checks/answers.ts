import {
  type Check,
  check,
  differs,
  each,
  isObject,
  type Json,
  type Kit,
  Missing,
  objectsIn,
  statusOf,
  unless,
} from "../check.ts";
import { ENDPOINTS, type Endpoint } from "../endpoints.ts";
import { fieldFault, SHAPES } from "../shapes.ts";
import { pathTo } from "../sight.ts";
import { answer, refused } from "./parameters.ts";

/** Where each resource is seen: methods, and what leads from their answers to the objects. */
type Seen = readonly [operation: string, more: string, find: (body: Json) => readonly Json[]];

const whole = (body: Json): readonly Json[] => [body];
const items = (body: Json): readonly Json[] => objectsIn(body["results"]);
const member =
  (name: string) =>
  (body: Json): readonly Json[] =>
    isObject(body[name]) ? [body[name]] : [];

const CHANNEL_LISTS: readonly Seen[] = [
  ["msgr_channels_list", "limit=100", items],
  ["msgr_channels_retrieve", "", whole],
  ["msgr_channels_resolve_retrieve", "", whole],
];
const SEEN: Readonly<Record<string, readonly Seen[]>> = {
  category: [["msgr_categories_list", "", items]],
  territory: [["msgr_territories_list", "", items]],
  channel: CHANNEL_LISTS,
  post: [
    ["msgr_channels_posts_retrieve", "limit=100", items],
    ["msgr_posts_retrieve", "", whole],
    ["msgr_posts_search_list", "limit=100", items],
  ],
  statistics: [["msgr_stats_daily_list", "", items]],
  account: [["me_retrieve", "", whole]],
  "account.key": [["me_retrieve", "", member("key")]],
  "account.member": [["me_retrieve", "", member("member")]],
  "account.organization": [["me_retrieve", "", member("organization")]],
  "account.limits": [["me_retrieve", "", member("limits")]],
  "account.usage": [["me_retrieve", "", member("usage")]],
  webhook: [["msgr_webhooks_list", "", items]],
  search: [["msgr_posts_search_list", "", whole]],
  "found post": [["msgr_posts_search_list", "", items]],
  metrics: [["msgr_channels_retrieve", "include=metrics", member("metrics")]],
  comparison: [["msgr_channels_compare_list", "", items]],
  sums: [["msgr_channels_stats_retrieve", "", whole]],
  similar: [["msgr_channels_similar_list", "", items]],
};

const endpointOf = (operation: string): Endpoint => {
  const found = ENDPOINTS.find((endpoint) => endpoint.operation === operation);
  if (found === undefined) throw new Error(`no endpoint ${operation}`);
  return found;
};

async function objectsSeen(kit: Kit, [operation, more, find]: Seen): Promise<readonly Json[]> {
  const answer = await kit.ask(await pathTo(kit, endpointOf(operation), more));
  const objects = find(answer.body);
  if (objects.length === 0) throw new Missing(`nothing of it in ${answer.asked}`);
  return objects;
}

/** Every field of the specification's tables, in every answer that shows the resource. */
export const answerChecks: readonly Check[] = SHAPES.flatMap(([resource, clause, fields]) =>
  (SEEN[resource] ?? []).flatMap((seen) =>
    fields.split(", ").map((text) => {
      const [field = "", type = ""] = text.split(" ");
      return check(clause, `${seen[0]}: ${resource}.${field} is ${type}`, async (kit) =>
        each(await objectsSeen(kit, seen), (object) => fieldFault(object, field, type)),
      );
    }),
  ),
);

/** Addresses beside the API, and sentences that are about all of it. */

const OPEN = ["/", "/docs/", "/docs/json", "/healthz", "/readyz"];

export const aroundChecks: readonly Check[] = [
  ...OPEN.map((path) =>
    check("decisions 10", `${path} answers without a key`, async (kit) =>
      statusOf(await kit.ask({ path, key: null }), 200),
    ),
  ),
  check("decisions 10", "/docs/json describes every method of the specification", async (kit) => {
    const { paths } = (await kit.ask({ path: "/docs/json", key: null })).body;
    const found = Object.keys(isObject(paths) ? paths : {});
    return unless(
      ["/v1/me/", "/v1/msgr/channels/", "/v1/msgr/webhooks/"].every((path) => found.includes(path)),
      `its paths are ${found}`,
    );
  }),
  check("mcp connect", "the bundle for assistants is served to everybody", async (kit) =>
    statusOf(await kit.ask({ path: "/docs/mcp/kanalog.mcpb", key: null }), 200),
  ),
  answer("spec 1.2", "/v1/msgr/categories/", "free", ({ headers }) =>
    differs("X-Request-Cost", headers.get("x-request-cost"), "0"),
  ),
  answer("spec 1.2", "/v1/msgr/channels/?limit=1", "a unit", ({ headers }) =>
    differs("X-Request-Cost", headers.get("x-request-cost"), "1"),
  ),
  answer("spec 1.1", "/v1/msgr/categories/", "all of them on one page", ({ body }) =>
    unless(Array.isArray(body["results"]) && body["next"] === undefined, "it has pages"),
  ),
  refused("decisions 1 messages", "/v1/msgr/channels/?limit=101", 400, "limit"),
];
