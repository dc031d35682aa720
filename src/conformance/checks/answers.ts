import type { Check, ClauseId, Fault, Json, Kit } from "../check.ts";
import {
  check,
  differs,
  each,
  fieldError,
  isObject,
  Missing,
  objectsIn,
  refusal,
  statusOf,
  unless,
} from "../check.ts";
import type { Answer } from "../client.ts";
import { ENDPOINTS, type Endpoint, isFile, MANAGED, nameOf, READS, TOOLS } from "../endpoints.ts";
import { isRequired, kindOf } from "../parameter-kinds.ts";
import { fieldFault, SHAPES } from "../shapes.ts";
import { fill, listed, look, pathTo, requirePlan } from "../sight.ts";

/** Parameters that one part of the specification describes for all methods. */
const CLAUSE_OF: Readonly<Record<string, ClauseId>> = {
  fields: "questions 6",
  cursor: "decisions 1 pages",
  include: "questions 2",
  growth_30d_min: "questions 2",
  reach_30d_min: "questions 2",
  category: "spec 4 booleans",
  territory: "spec 4 booleans",
};

const clauseOf = (endpoint: Endpoint, name: string, type: string): ClauseId =>
  type === "boolean" ? "spec 4 booleans" : (CLAUSE_OF[name] ?? endpoint.clause);

/** The address with one parameter set, and the rest of what the call needs. */
async function withParameter(kit: Kit, endpoint: Endpoint, name: string, value?: string) {
  await requirePlan(kit, endpoint.from);
  const rest = endpoint.query.split("&").filter((part) => !part.startsWith(`${name}=`));
  const own = value === undefined ? [] : [`${name}=${value}`];
  const query = [...rest, ...own].filter((part) => part !== "").join("&");
  return `${await fill(kit, endpoint.path)}?${await fill(kit, query)}`;
}

/** How a value is shown in a title. */
const short = (value: string): string => (value.length > 24 ? `${value.slice(0, 24)}…` : value);

function checksOf(endpoint: Endpoint, name: string, type: string): Check[] {
  const { good, bad } = kindOf(type);
  const clause = clauseOf(endpoint, name, type);
  const title = (value: string) => `${nameOf(endpoint)}?${name}=${short(value)}`;
  const ask = async (kit: Kit, value?: string) =>
    kit.ask(await withParameter(kit, endpoint, name, value));
  const refused = bad.map(([value, message]) =>
    check(
      value.startsWith("%") ? "decisions 1 values" : clause,
      `${title(value)} is a 400 on ${name}`,
      async (kit) => fieldError(await ask(kit, value), name, message),
    ),
  );
  if (isFile(endpoint)) return refused;
  const taken = good.map(
    (value): Check => ({
      ...{ clause, title: `${title(value)} is taken` },
      run: async (kit) => statusOf(await ask(kit, value), 200),
    }),
  );
  if (isRequired(type)) return [...refused, ...taken];
  const empty: Check = check(
    "decisions 1 values",
    `${title("")} counts as not given`,
    async (kit) => {
      const [answer, without] = [await ask(kit, ""), await ask(kit)];
      // The usage grows with each request.
      if (name === "limit" || endpoint.operation === "me_usage_list") return statusOf(answer, 200);
      const isSame = withoutNext(answer.text) === withoutNext(without.text);
      return statusOf(answer, 200) ?? unless(isSame, "the answer is another than without it");
    },
  );
  return [...refused, ...taken, empty];
}

/** A page's `next` repeats the query, in which an empty parameter may stand. */
const withoutNext = (text: string): string => text.replace(/"next":"[^"]*"/, "");

const ofEndpoints = [...READS, ...MANAGED].flatMap((endpoint) =>
  Object.entries(endpoint.parameters).flatMap(([name, type]) => checksOf(endpoint, name, type)),
);

const onlyFields = (endpoint: Endpoint) => async (kit: Kit) => {
  const whole = (await kit.ask(await pathTo(kit, endpoint))).body;
  const [item] = Array.isArray(whole["results"]) ? whole["results"] : [whole];
  if (item === undefined) throw new Missing("no item to look at");
  const name = Object.keys(item)[0] ?? "";
  const cut = (await kit.ask(await pathTo(kit, endpoint, `fields=${name}`))).body;
  const [first] = Array.isArray(cut["results"]) ? cut["results"] : [cut];
  return unless(Object.keys(first).join() === name, `the fields are ${Object.keys(first)}`);
};

/** Rules of parameters that all methods share. */
const general = TOOLS.flatMap((endpoint): Check[] => {
  const [first] = Object.entries(endpoint.parameters);
  if (first === undefined) return [];
  return [
    check("decisions 1 values", `${nameOf(endpoint)} ignores an unknown parameter`, async (kit) =>
      statusOf(await kit.ask(await pathTo(kit, endpoint, "surplus=%D1%91")), 200),
    ),
    check(
      "decisions 1 values",
      `${nameOf(endpoint)} takes the last of a repeated one`,
      async (kit) =>
        fieldError(
          await kit.ask(await pathTo(kit, endpoint, "fields=id", "fields=no_such_field")),
          "fields",
        ),
    ),
    check(
      "questions 6",
      `${nameOf(endpoint)} answers only the fields asked for`,
      onlyFields(endpoint),
    ),
  ];
});

export const parameterChecks: readonly Check[] = [...ofEndpoints, ...general];

/** Laws of GETs, each of which makes a check of an address with braces to be filled. */

/** A refusal: a 400 names its field, any other status its code. */
export const refused = (clause: ClauseId, path: string, status: number, name: string): Check =>
  check(clause, `${path} is ${status} ${name}`, async (kit) => {
    const answer = await look(kit, path);
    return status === 400 ? fieldError(answer, name) : refusal(answer, status, name);
  });

export const taken = (clause: ClauseId, path: string): Check =>
  check(clause, `${path} is taken`, async (kit) => statusOf(await look(kit, path), 200));

/** The part of an answer that is compared. */
type Part = (body: Json) => unknown;
export const results: Part = (body) => body["results"];
export const numbersOf = (body: Json): unknown[] => objectsIn(body["results"]).map(({ id }) => id);

/** Two addresses that answer the same. */
export const same = (
  clause: ClauseId,
  path: string,
  other: string,
  part: Part = (body) => body,
): Check =>
  check(clause, `${path} answers what ${other} answers`, async (kit) => {
    const [answer, expected] = [await look(kit, path), await look(kit, other)];
    return statusOf(answer, 200) ?? differs("the answer", part(answer.body), part(expected.body));
  });

/** A rule for every item of a list. */
export const every = (
  clause: ClauseId,
  path: string,
  title: string,
  faultOf: (item: Json, items: readonly Json[], kit: Kit) => Fault,
): Check =>
  check(clause, `${path}: ${title}`, async (kit) => {
    const items = await listed(kit, path);
    return each(items, (item) => faultOf(item, items, kit));
  });

/** A rule for an answer. */
export const answer = (
  clause: ClauseId,
  path: string,
  title: string,
  faultOf: (answer: Answer, kit: Kit) => Fault,
): Check => check(clause, `${path}: ${title}`, async (kit) => faultOf(await look(kit, path), kit));

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
