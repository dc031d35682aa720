import { type Json, type Kit, Missing, objectsIn } from "./check.ts";
import type { Answer } from "./client.ts";
import { type Endpoint, PLANS, type Plan } from "./endpoints.ts";

/** What a key can see of an appliance's data: each is asked for once in a run. */

export const account = async (kit: Kit): Promise<Json> => (await kit.ask("/v1/me/")).body;
export const limits = async (kit: Kit): Promise<Json> => (await account(kit))["limits"] as Json;

/** The key's plan. @throws Missing if the operator added it: the specification does not say what it includes */
export async function planOf(kit: Kit): Promise<Plan> {
  const plan = (await account(kit))["api_tariff"];
  const found = PLANS.find((known) => known === plan);
  if (found === undefined) throw new Missing(`the key's plan is the operator's own, ${plan}`);
  return found;
}

export async function requirePlan(kit: Kit, from: Plan): Promise<void> {
  const plan = await planOf(kit);
  if (PLANS.indexOf(plan) < PLANS.indexOf(from)) {
    throw new Missing(`from the plan ${from}; the key's is ${plan}`);
  }
}

/** The lowest plan that has what is at an address. */
function planFor(path: string): Plan {
  if (/\/(posts|mentions|similar)\//.test(path)) return "start";
  if (/\/(webhooks|alerts)\//.test(path)) return "growth";
  return path.includes("/export/") ? "profi" : "test";
}

/** The answer to a GET, whose braces are filled. @throws Missing if the key's plan lacks it */
export async function look(kit: Kit, path: string): Promise<Answer> {
  await requirePlan(kit, planFor(path));
  return kit.ask(await fill(kit, path));
}

/** The items of a list. @throws Missing if there are none */
export async function listed(kit: Kit, path: string): Promise<readonly Json[]> {
  const answer = await look(kit, path);
  const items = objectsIn(answer.body["results"]);
  if (items.length === 0) throw new Missing(`nothing in ${path}`);
  return items;
}

/** The first of a list that has a value of this field. @throws Missing */
async function first(kit: Kit, path: string, field: string, pattern = /./): Promise<unknown> {
  const found = (await listed(kit, path)).find((item) => pattern.test(String(item[field] ?? "")));
  if (found === undefined) throw new Missing(`no ${field} to look at in ${path}`);
  return found[field];
}

const CATALOG = "/v1/msgr/channels/?limit=100";
const LATEST = "/v1/msgr/channels/?ordering=-last_post_at&limit=10";
const POSTS = "/v1/msgr/channels/{posting}/posts/";
const PART = /[\p{L}\p{N}]{3,12}/u;
const WORD = /(?<![\p{L}\p{N}_@#])\p{L}{6,20}(?![\p{L}\p{N}_])/u;
const partOf = (text: unknown, pattern: RegExp): string => pattern.exec(String(text))?.[0] ?? "";

/** A card that can be found by its handle and by its link. */
async function linked(kit: Kit): Promise<Json> {
  const card = (await listed(kit, CATALOG)).find((one) => one["handle"] && one["link"]);
  if (card === undefined) throw new Missing("no channel with a handle and a link");
  return card;
}

const LISTS = "/v1/msgr/lists/";

/** A saved list. With --write, one is saved if there is none, and deleted at the end. @throws Missing */
async function savedList(kit: Kit): Promise<unknown> {
  const [known] = objectsIn((await kit.ask(LISTS)).body["results"]);
  if (known !== undefined) return known["id"];
  if (!kit.mayWrite) throw new Missing("needs --write");
  const body = { name: "Conformance", query: "kind=channel" };
  const { id } = (await kit.askAgain({ method: "POST", path: LISTS, body })).body;
  if (id === undefined) throw new Missing("no saved list, and the key saves none");
  kit.afterwards.push({ method: "DELETE", path: `${LISTS}${id}/` });
  return id;
}

/** What braces in paths and queries stand for. */
const SEEN: Readonly<Record<string, (kit: Kit) => Promise<unknown>>> = {
  channel: async (kit) => (await linked(kit))["id"],
  handle: async (kit) => (await linked(kit))["handle"],
  HANDLE: async (kit) => String((await linked(kit))["handle"]).toUpperCase(),
  host: async (kit) => new URL(String((await linked(kit))["link"])).host,
  title: async (kit) => partOf(await first(kit, CATALOG, "title", PART), PART),
  category: (kit) => first(kit, CATALOG, "category"),
  territory: (kit) => first(kit, CATALOG, "territory"),
  inner: (kit) => first(kit, "/v1/msgr/territories/", "parent"),
  posting: async (kit) => {
    const channels = await listed(kit, LATEST);
    const posting = channels.find((channel) => channel["last_post_at"] !== null);
    if (posting === undefined) throw new Missing("no channel with posts");
    return posting["id"];
  },
  post: (kit) => first(kit, POSTS, "id"),
  word: async (kit) => partOf(await first(kit, POSTS, "text", WORD), WORD),
  webhook: (kit) => first(kit, "/v1/msgr/webhooks/", "id"),
  list: (kit) => kit.once("list", () => savedList(kit)),
  alert: (kit) => first(kit, "/v1/msgr/alerts/", "id"),
  channels: async (kit) => (await listed(kit, CATALOG)).map(({ id }) => id).reverse(),
  three: async (kit) =>
    (await listed(kit, "/v1/msgr/channels/?limit=3")).map(({ id }) => id).reverse(),
  day: (kit) => first(kit, POSTS, "published_at").then((at) => String(at).slice(0, 10)),
};

/** A Moscow day so many days ago. */
export const dayAgo = (kit: Kit, days: number): string =>
  new Date(kit.now() + (3 - days * 24) * 3_600_000).toISOString().slice(0, 10);

/**
 * Replaces names in braces by what the key can see; `{-3}` is the day three days ago, `{1..3}` are the numbers
 * from 1 to 3. @throws Missing
 */
export async function fill(kit: Kit, text: string): Promise<string> {
  let filled = text;
  for (const [whole, name = ""] of text.matchAll(/\{([^}]+)\}/g)) {
    const range = /^1\.\.(\d+)$/.exec(name);
    const value = /^-\d+$/.test(name)
      ? dayAgo(kit, -Number(name))
      : range !== null
        ? Array.from({ length: Number(range[1]) }, (_, at) => at + 1)
        : await SEEN[name]?.(kit);
    filled = filled.replace(whole, encodeURIComponent(String(value)).replaceAll("%2C", ","));
  }
  return filled;
}

/** The address of a call that succeeds, with more parameters. @throws Missing if the plan lacks it */
export async function pathTo(kit: Kit, { from, path, query }: Endpoint, ...more: string[]) {
  await requirePlan(kit, from);
  const all = [query, ...more].filter((part) => part !== "").join("&");
  return fill(kit, all === "" ? path : `${path}?${all}`);
}
