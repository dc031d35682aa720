import { type Json, type Kit, Missing, objectsIn } from "./check.ts";
import { type Endpoint, PLANS, type Plan } from "./endpoints.ts";

/** What a key can see of an appliance's data: each is asked for once in a run. */

export const account = async (kit: Kit): Promise<Json> => (await kit.ask("/v1/me/")).body;

export async function planOf(kit: Kit): Promise<Plan> {
  const plan = (await account(kit))["api_tariff"];
  return PLANS.find((known) => known === plan) ?? "test";
}

export async function requirePlan(kit: Kit, from: Plan): Promise<void> {
  const plan = await planOf(kit);
  if (PLANS.indexOf(plan) < PLANS.indexOf(from)) {
    throw new Missing(`from the plan ${from}; the key's is ${plan}`);
  }
}

/** The items of a list. @throws Missing if there are none */
export async function listed(kit: Kit, path: string, what: string): Promise<readonly Json[]> {
  const items = objectsIn((await kit.ask(path)).body["results"]);
  if (items.length === 0) throw new Missing(`no ${what} to look at`);
  return items;
}

export const catalog = (kit: Kit): Promise<readonly Json[]> =>
  listed(kit, "/v1/msgr/channels/?limit=100", "channels in the catalog");

/** The first of the catalog of which this holds. @throws Missing */
export async function channelWith(
  kit: Kit,
  what: string,
  holds: (channel: Json) => boolean,
): Promise<Json> {
  const found = (await catalog(kit)).find(holds);
  if (found === undefined) throw new Missing(`no channel ${what} among the catalog's first 100`);
  return found;
}

const LATEST = "/v1/msgr/channels/?ordering=-last_post_at&limit=10";

/** The channel with the newest post. */
async function postingChannel(kit: Kit): Promise<string> {
  const channels = await listed(kit, LATEST, "channels in the catalog");
  const posting = channels.find((channel) => channel["last_post_at"] !== null);
  if (posting === undefined) throw new Missing("no channel with posts");
  return String(posting["id"]);
}

export async function posts(kit: Kit): Promise<readonly Json[]> {
  await requirePlan(kit, "start");
  return listed(kit, `/v1/msgr/channels/${await postingChannel(kit)}/posts/`, "posts");
}

const WORD = /(?<![\p{L}\p{N}_@#])\p{L}{6,20}(?![\p{L}\p{N}_])/u;

/** What braces in paths and queries stand for. */
const SEEN: Readonly<Record<string, (kit: Kit) => Promise<unknown>>> = {
  channel: async (kit) => (await channelWith(kit, "with a handle", hasHandle))["id"],
  handle: async (kit) => (await channelWith(kit, "with a handle", hasHandle))["handle"],
  title: async (kit) => {
    const { title } = await channelWith(kit, "with a long title", ({ title }) =>
      /[\p{L}\p{N}]{3}/u.test(String(title)),
    );
    return /[\p{L}\p{N}]{3,12}/u.exec(String(title))?.[0];
  },
  category: async (kit) =>
    (await channelWith(kit, "with a category", ({ category }) => category !== null))["category"],
  territory: async (kit) =>
    (await channelWith(kit, "with a territory", ({ territory }) => territory !== null))[
      "territory"
    ],
  posting: postingChannel,
  post: async (kit) => (await posts(kit))[0]?.["id"],
  word: async (kit) => {
    for (const { text } of await posts(kit)) {
      const word = WORD.exec(String(text))?.[0];
      if (word !== undefined) return word;
    }
    throw new Missing("no post with a word of six letters");
  },
  webhook: async (kit) => (await listed(kit, "/v1/msgr/webhooks/", "webhooks"))[0]?.["id"],
  alert: async (kit) => (await listed(kit, "/v1/msgr/alerts/", "alerts"))[0]?.["id"],
};

const hasHandle = (channel: Json): boolean => typeof channel["handle"] === "string";

/** Replaces names in braces by what the key can see. @throws Missing */
export async function fill(kit: Kit, text: string): Promise<string> {
  let filled = text;
  for (const [whole, name = ""] of text.matchAll(/\{(\w+)\}/g)) {
    const value = String(await SEEN[name]?.(kit));
    filled = filled.replace(whole, encodeURIComponent(value));
  }
  return filled;
}

/** The address of a call that succeeds, with more parameters. @throws Missing if the plan lacks it */
export async function pathTo(kit: Kit, endpoint: Endpoint, ...more: string[]): Promise<string> {
  await requirePlan(kit, endpoint.from);
  const query = [endpoint.query ?? "", ...more].filter((part) => part !== "").join("&");
  const path = await fill(kit, endpoint.path);
  return query === "" ? path : `${path}?${await fill(kit, query)}`;
}
