import { join } from "node:path";
import { recount } from "../../src/catalog/directory/recount.ts";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import type { Fields } from "../../src/catalog/imports/reading/recognized.ts";
import type { Environment } from "../../src/config.ts";
import type { ExampleCall, ExampleEvent, Examples } from "../../src/doors/http/docs/examples.ts";
import { WRITTEN_ADDRESS } from "../../src/doors/http/docs/guide-html.ts";
import { EVENT_KINDS, type EventKind } from "../../src/push/webhooks/events/cut-events.ts";
import { apiMethods } from "../../src/verbs/methods/table.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { imported } from "./expectations.ts";
import { type FakePost, fakePorts } from "./fake-ports.ts";
import { MINUTE_MS, pass } from "./webhook-calls.ts";

/*
 * The documentation's examples, recorded from the real application with the sample data. Required
 * parameters have the examples of their declarations; the others are listed here.
 */

/** The day after the sample's last one, so that its posts are fresh and its days are the last 30. */
const NOW = "2024-12-05T12:00:00+03:00";
const SAMPLE = new URL("../../data/sample/", import.meta.url).pathname;
export const EXAMPLES_FILE = new URL("../../src/doors/http/docs/examples.json", import.meta.url)
  .pathname;
/** The last post of the sample, which is imported once the webhook exists and causes its event. */
const READ_LAST = 732;
/** Replaces every cursor, because cursors are signed with a secret that each database generates. */
const CURSOR = "c3-d7hs5IYsXWzEwMDAsMV0";

type Arguments = ExampleCall["arguments"];

export const MAKES_WEBHOOK = "msgr_webhooks_create";
/** The call after which the last post is imported: it matches. */
export const MAKES_ALERT = "msgr_alerts_create";

/** Optional parameters by method, in an order in which each call finds what it needs. */
const MORE: Record<string, Arguments> = {
  [MAKES_WEBHOOK]: {},
  [MAKES_ALERT]: {},
  msgr_categories_list: {},
  msgr_territories_list: { parent: "russia" },
  msgr_channels_list: { q: "новости", limit: 2 },
  msgr_channels_retrieve: {},
  msgr_channels_resolve_retrieve: {},
  msgr_stats_daily_list: { from: "2024-12-03", to: "2024-12-04" },
  msgr_channels_compare_list: {
    from: "2024-11-05",
    to: "2024-12-04",
    fields: "channel,growth,growth_percent,posts,views_mean,err",
  },
  msgr_channels_stats_retrieve: { subscribers_min: 1000 },
  msgr_channels_posts_retrieve: { from: "2024-12-01", limit: 2 },
  msgr_posts_retrieve: {},
  msgr_posts_search_list: { is_ad: false, limit: 2 },
  msgr_posts_search_stats: {
    channel: "nsmag",
    group: "week",
    from: "2024-11-25",
    to: "2024-12-08",
  },
  msgr_trends_list: {},
  msgr_channels_mentions_list: { channel: "goproglib", limit: 1 },
  msgr_channels_similar_list: { channel: "goproglib" },
  msgr_export_channels_retrieve: { subscribers_min: 300_000 },
  msgr_export_stats_retrieve: { channel: "nsmag", from: "2024-12-03", to: "2024-12-04" },
  msgr_export_posts_retrieve: { channel: "goproglib", from: "2024-12-04", to: "2024-12-04" },
  msgr_webhooks_list: {},
  msgr_webhooks_retrieve: {},
  msgr_webhooks_test: {},
  msgr_webhooks_deliveries_list: { limit: 2 },
  msgr_webhooks_deliveries_resend: {},
  msgr_webhooks_partial_update: { channels: [1, 3] },
  msgr_webhooks_rotate_secret: { overlap_hours: 24 },
  msgr_alerts_list: {},
  msgr_alerts_retrieve: {},
  msgr_alerts_preview: {},
  msgr_alerts_partial_update: { category: "science" },
  msgr_alerts_destroy: {},
  msgr_webhooks_destroy: {},
  msgr_lists_create: {},
  msgr_lists_list: {},
  msgr_lists_retrieve: {},
  msgr_lists_channels_list: { limit: 2 },
  msgr_lists_partial_update: {},
  msgr_lists_destroy: {},
  me_retrieve: {},
  me_usage_list: {},
};

/** An appliance with the sample, and the key of an owner who may change webhooks. */
export interface ExampleWorld {
  appliance: Appliance;
  key: string;
  /** Imports the sample's last post, and sends it to the webhook created before. */
  readLastPost(): Promise<void>;
}

export async function startExampleWorld(environment: Environment): Promise<ExampleWorld> {
  const ports = fakePorts(NOW);
  // Keeps secrets and keys the same in every run, however many requests took an id before.
  ports.random = { ...ports.random, uuid: () => "0193955a-1a00-7000-8000-000000000001" };
  const appliance = await startAppliance(environment, ports, { ratesAsShipped: true });
  const { db } = appliance.app.domains;
  await importFile(db, ports.clock, "channels", join(SAMPLE, "channels.ndjson"));
  await importFile(db, ports.clock, "stats", join(SAMPLE, "stats.csv"));
  const posts = await samplePosts();
  const importPosts = (wanted: (id: unknown) => boolean) =>
    imported(
      appliance,
      "posts",
      posts.filter(({ id }) => wanted(id)),
    );
  await importPosts((id) => id !== READ_LAST);
  await recount(db, ports.clock);
  const { key } = await appliance.customer({ access: "read_write" });
  const readLastPost = async () => {
    await importPosts((id) => id === READ_LAST);
    await pass(appliance, MINUTE_MS, MINUTE_MS);
  };
  return { appliance, key, readLastPost };
}

/** There are more methods than the plan allows requests per second. */
export const BETWEEN_CALLS_MS = 50;

/** Calls every method and receives every event. */
export async function recordExamples(): Promise<Examples> {
  const { appliance, key, readLastPost } = await startExampleWorld({
    KANALOG_BASE_URL: WRITTEN_ADDRESS,
  });
  try {
    const calls: Examples["calls"] = {};
    for (const [name, more] of Object.entries(MORE)) {
      calls[name] = await record(appliance, key, name, more);
      appliance.ports.clock.advance(BETWEEN_CALLS_MS);
      if (name === MAKES_ALERT) await readLastPost();
    }
    return { calls, events: eventsOf(appliance.ports.network.posts) };
  } finally {
    await appliance.close();
  }
}

async function record(
  appliance: Appliance,
  key: string,
  operationId: string,
  more: Arguments,
): Promise<ExampleCall> {
  const method = apiMethods.find((one) => one.operationId === operationId);
  if (method === undefined) throw new Error(`there is no method ${operationId}`);
  const { verb, parameters, status: wanted } = method;
  const required = Object.entries(parameters).flatMap(([name, { required, schema }]) =>
    required ? [[name, schema["examples"]?.[0]] as const] : [],
  );
  const given: Arguments = { ...Object.fromEntries(required), ...more };
  const query = new URLSearchParams();
  const fields: Arguments = {};
  let path: string = method.path;
  for (const [name, value] of Object.entries(given)) {
    const place = parameters[name]?.in;
    if (place === "path") path = path.replace(`:${name}`, String(value));
    if (place === "query") query.set(name, String(value));
    if (place === "body") fields[name] = value;
  }
  const { status, body } = await appliance.request(`${path}?${query}`, {
    method: verb,
    key,
    ...(Object.keys(fields).length > 0 && {
      body: JSON.stringify(fields),
      headers: { "content-type": "application/json" },
    }),
  });
  if (status !== wanted) throw new Error(`${operationId}: ${status} ${JSON.stringify(body)}`);
  if (status === 204) return { arguments: given, status };
  return { arguments: given, status, answer: JSON.parse(withOneCursor(JSON.stringify(body))) };
}

/** Replaces each cursor by the same one. @param text JSON */
export function withOneCursor(text: string): string {
  return text.replace(/(?<=[?&]cursor=)[\w-]+/g, CURSOR);
}

async function samplePosts(): Promise<Fields[]> {
  const text = await Bun.file(join(SAMPLE, "posts.ndjson")).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The first event of each kind. */
function eventsOf(posts: readonly FakePost[]): Examples["events"] {
  const first = (event: EventKind): ExampleEvent => {
    const post = posts.find(({ headers }) => headers["x-service-event"] === event);
    if (post === undefined) throw new Error(`no ${event} was sent`);
    return { headers: post.headers, body: JSON.parse(post.body) };
  };
  const all = EVENT_KINDS.map((event) => [event, first(event)]);
  return Object.fromEntries(all) as Examples["events"];
}
