import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import {
  CATALOG_ORDERINGS,
  type CatalogOrdering,
  type CatalogPosition,
  type CatalogSelection,
} from "../../../src/catalog/search/catalog.ts";
import { findChannels } from "../../../src/catalog/search/find-channels.store.ts";
import { selectCatalog } from "../../../src/catalog/search/select-catalog.ts";
import type { Database } from "../../../src/db/database.ts";
import { dayOf, startOfDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { imported, pagesOf } from "../../support/expectations.ts";

/**
 * The catalog finds a page from the columns in memory, and a text in one of two ways, depending on how many
 * channels have it. On a database large enough for all of them, each must find what filtering and sorting
 * plain objects finds.
 */

interface Channel {
  id: number;
  title: string;
  kind: "channel" | "chat";
  subscribers: number;
  quality: number | null;
  citation: number | null;
  last_post_at: number | null;
  science: boolean;
  kazan: boolean;
  aPlus: boolean;
  verified: boolean;
  isPublic: boolean;
  /** Whether its last reading is recent; others are in no list by a metric. */
  fresh: boolean;
  growth_7d: number | null;
  growth_30d: number | null;
  /** In hundredths of a percent, as stored. */
  growth_30d_percent: number | null;
  reach_30d: number | null;
  err_30d: number | null;
  reach_24h: number | null;
  reach_48h: number | null;
  ad_reach_24h: number | null;
  ad_reach_48h: number | null;
}

const COMMON = 66_000;
const RARE = 11_000;
const LAST_DAY = Date.parse("2026-11-20T00:00:00Z");

/** Subscribers at each channel's last reading. */
const READ = 10_000;

/**
 * Metrics of a channel, for which readings and posts are stored. Rare ones do not grow, so that looking in
 * their ordering is given up too.
 */
function metricsOf(mixed: number, subscribers: number, rare: boolean) {
  const fresh = mixed % 11 !== 0;
  const growth_7d =
    mixed % 3 === 0 || !fresh ? null : rare ? -300 - (mixed % 5) : (mixed % 401) - 200;
  const growth_30d = mixed % 4 === 0 || !fresh ? null : rare ? -2000 : ((mixed * 31) % 2001) - 1000;
  const reach_30d = mixed % 7 < 3 ? null : mixed % 5000;
  return {
    ...{ fresh, growth_7d, growth_30d, reach_30d },
    ...{ reach_24h: mixed % 2 === 0 ? null : reach_30d, reach_48h: reach_30d },
    ...{ ad_reach_24h: mixed % 6 === 3 ? reach_30d : null },
    ...{ ad_reach_48h: mixed % 3 === 0 ? reach_30d : null },
    growth_30d_percent:
      growth_30d === null ? null : Math.round((growth_30d * 10_000) / (READ - growth_30d)),
    err_30d:
      reach_30d === null || subscribers === 0
        ? null
        : Math.round((reach_30d * 10_000) / subscribers),
  };
}

/**
 * 66,000 channels with "общий" and high qualities, followed by 11,000 with "редкий" and low qualities or
 * none: looking for the latter by quality is given up. Subscribers are in no order by id.
 */
const CHANNELS: readonly Channel[] = Array.from({ length: COMMON + RARE }, (_, at) => {
  const id = at + 1;
  const rare = id > COMMON;
  const mixed = (id * 7919) % 77_017;
  return {
    id,
    title:
      `${rare ? "Редкий ёж" : "Общий канал"} ${mixed} ${mixed % 100 === 7 ? "100%_off" : ""}`.trim(),
    kind: mixed % 40 === 0 ? "chat" : "channel",
    // Every value occurs many times.
    subscribers: mixed % 12_000,
    quality: rare ? (mixed % 3 === 0 ? null : (mixed % 100) / 4) : 100 + (mixed % 1000) / 8,
    citation: mixed % 10 === 0 ? null : mixed % 7,
    last_post_at: mixed % 2 === 0 ? null : LAST_DAY - (mixed % 300) * 3_600_000,
    science: mixed % 2 === 1,
    kazan: mixed % 1000 === 1,
    aPlus: mixed % 3 !== 0,
    verified: mixed % 500 === 3,
    isPublic: mixed % 50 !== 9,
    ...metricsOf(mixed, mixed % 12_000, rare),
  };
});

const COLUMNS = {
  "-subscribers": "subscribers",
  "-quality": "quality",
  "-citation": "citation",
  "-last_post_at": "last_post_at",
  "-growth_7d": "growth_7d",
  "-growth_30d": "growth_30d",
  "-growth_30d_percent": "growth_30d_percent",
  "-reach_30d": "reach_30d",
  "-err_30d": "err_30d",
  "-reach_24h": "reach_24h",
  "-reach_48h": "reach_48h",
  "-ad_reach_24h": "ad_reach_24h",
  "-ad_reach_48h": "ad_reach_48h",
} as const satisfies Record<CatalogOrdering, keyof Channel>;

/** Negative if `a` comes first: descending values, none last, ties by ascending id. */
function compare(a: CatalogPosition, b: CatalogPosition): number {
  const [left, right] = [a[0], b[0]];
  if (left === right) return a[1] - b[1];
  if (left === null) return 1;
  return right === null ? -1 : right - left;
}

function positionOf(ordering: CatalogOrdering, channel: Channel): CatalogPosition {
  return [channel[COLUMNS[ordering]], channel.id];
}

const SORTED = Object.fromEntries(
  CATALOG_ORDERINGS.map((ordering) => [
    ordering,
    CHANNELS.filter(({ isPublic }) => isPublic).sort((a, b) =>
      compare(positionOf(ordering, a), positionOf(ordering, b)),
    ),
  ]),
) as Record<CatalogOrdering, Channel[]>;

interface PageRequest {
  text: string | null;
  kind: "channel" | "chat";
  science: boolean;
  kazan: boolean;
  aPlus: boolean | null;
  verified: boolean | null;
  min: number | null;
  max: number | null;
  growth: number | null;
  reach: number | null;
  err: number | null;
  ordering: CatalogOrdering;
  limit: number;
  /** The page follows this channel, or a position between channels. */
  afterId: number | null;
  afterNobody: boolean;
}

const fold = (text: string): string => text.toLowerCase().replaceAll("ё", "е");
const FOLDED: readonly string[] = CHANNELS.map(({ title }) => fold(title));

/** All matches of a plain scan, in the requested order. */
function scan(request: PageRequest): Channel[] {
  const text = request.text === null ? null : fold(request.text);
  return SORTED[request.ordering].filter((channel) => matches(channel, request, text));
}

function matches(channel: Channel, request: PageRequest, text: string | null): boolean {
  return (
    channel.kind === request.kind &&
    (text === null || isIn(FOLDED[channel.id - 1] ?? "", text)) &&
    (!request.science || channel.science) &&
    (!request.kazan || channel.kazan) &&
    (request.aPlus === null || channel.aPlus === request.aPlus) &&
    (request.verified === null || channel.verified === request.verified) &&
    (request.min === null || channel.subscribers >= request.min) &&
    (request.max === null || channel.subscribers <= request.max) &&
    isAtLeast(channel.growth_30d, request.growth) &&
    isAtLeast(channel.reach_30d, request.reach) &&
    isAtLeast(channel.err_30d, request.err) &&
    (!["-growth_30d_percent", "-err_30d"].includes(request.ordering) ||
      channel.subscribers >= 100) &&
    (channel.fresh || !/growth|reach|err/.test(request.ordering))
  );
}

/** Whether a title contains a text, or words that begin with its words. */
function isIn(title: string, text: string): boolean {
  if (title.includes(text)) return true;
  const words = text.trim().split(" ");
  return (
    words.length > 1 &&
    words.every((word) => word.length > 2) &&
    words.every((word) =>
      Array.from(title).some(
        (_, at) => title.startsWith(word, at) && !/[a-zа-я0-9]/.test(title[at - 1] ?? ""),
      ),
    )
  );
}

function isAtLeast(value: number | null, least: number | null): boolean {
  return least === null || (value !== null && value >= least);
}

function startOf({ ordering, afterId, afterNobody }: PageRequest): CatalogPosition | null {
  const channel = afterId === null ? undefined : CHANNELS[afterId - 1];
  if (channel === undefined) return null;
  const [value, id] = positionOf(ordering, channel);
  if (!afterNobody || value === null) return [value, id];
  return ordering === "-subscribers" ? [value, id - 0.5] : [value + 0.0625, id];
}

let appliance: Appliance;
let db: Database;

beforeAll(async () => {
  appliance = await startAppliance();
  await imported(
    appliance,
    "channels",
    CHANNELS.map((channel) => ({
      id: channel.id,
      title: channel.title,
      kind: channel.kind,
      subscribers: channel.subscribers,
      quality: channel.quality,
      citation: channel.citation,
      last_post_at:
        channel.last_post_at === null ? null : new Date(channel.last_post_at).toISOString(),
      category: channel.science ? "science" : "news",
      territory: channel.kazan ? "kazan" : null,
      a_plus: channel.aPlus,
      verified: channel.verified,
      is_public: channel.isPublic,
    })),
  );
  await storeMetrics(appliance);
  db = appliance.app.domains.db;
});
afterAll(() => appliance.close());

/** Stores readings and posts that give the expected metrics, and computes those. */
async function storeMetrics({ app: { domains }, ports: { clock } }: Appliance): Promise<void> {
  const { db } = domains;
  const today = dayOf(clock.now());
  const day = db.prepare(
    "INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts) VALUES (?, ?, ?, 0, 0)",
  );
  const post = db.prepare(
    `INSERT INTO posts
       (channel_id, published_at, is_ad, views, views_at, read_at, views_24h, views_48h, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')`,
  );
  db.exec("BEGIN");
  for (const one of CHANNELS) {
    const { id, fresh, growth_7d, growth_30d, reach_30d, reach_24h, ad_reach_48h } = one;
    const last = today - (fresh ? 1 : 8);
    const at = startOfDay(last);
    // Some of those that are left out have no reading at all.
    if (fresh || id % 2 === 0) day.run(id, last, READ);
    if (growth_7d !== null) day.run(id, last - 7, READ - growth_7d);
    if (growth_30d !== null) day.run(id, last - 30, READ - growth_30d);
    const isAd = Number(ad_reach_48h !== null);
    if (reach_30d !== null) post.run(id, at, isAd, reach_30d, at, at, reach_24h, reach_30d);
  }
  db.exec("COMMIT");
  await computeMetrics(db, clock);
}

function idOf(table: "categories" | "territories", slug: string): number {
  const row = appliance.app.domains.db
    .prepare(`SELECT id FROM ${table} WHERE slug = ?`)
    .get(slug) as { id: number };
  return row.id;
}

function selectionOf(request: PageRequest): CatalogSelection {
  return {
    filter: {
      kind: request.kind,
      channelId: null,
      text: request.text,
      categoryId: request.science ? idOf("categories", "science") : null,
      territoryId: request.kazan ? idOf("territories", "kazan") : null,
      aPlus: request.aPlus,
      verified: request.verified,
      subscribersMin: request.min,
      subscribersMax: request.max,
      metricsMin: {
        ...(request.growth !== null && { growth_30d: request.growth }),
        ...(request.reach !== null && { reach_30d: request.reach }),
        ...(request.err !== null && { err_30d: request.err }),
      },
    },
    ordering: request.ordering,
    after: startOf(request),
    limit: request.limit,
  };
}

function answer(request: PageRequest): {
  ids: number[];
  last: CatalogPosition | null;
  ways: string;
} {
  const selection = selectionOf(request);
  const ways: string[] = [];
  findChannels(db, selection, ({ way }) => ways.push(way));
  const page = selectCatalog(db, selection);
  return {
    ids: (JSON.parse(String(page.results)) as { id: number }[]).map(({ id }) => id),
    last: page.last,
    ways: ways.join(", then "),
  };
}

/** The page by a plain scan. @param all its matches, if the caller has them */
function reference(
  request: PageRequest,
  all = scan(request),
): { ids: number[]; last: CatalogPosition | null } {
  const { ordering, limit } = request;
  const after = startOf(request);
  const rest =
    after === null
      ? all
      : all.filter((channel) => compare(positionOf(ordering, channel), after) > 0);
  const shown = rest.slice(0, limit);
  const lastShown = rest.length > limit ? shown.at(-1) : undefined;
  return {
    ids: shown.map(({ id }) => id),
    last: lastShown === undefined ? null : positionOf(ordering, lastShown),
  };
}

const NO_FILTERS: PageRequest = {
  text: null,
  kind: "channel",
  science: false,
  kazan: false,
  aPlus: null,
  verified: null,
  min: null,
  max: null,
  growth: null,
  reach: null,
  err: null,
  ordering: "-subscribers",
  limit: 50,
  afterId: null,
  afterNobody: false,
};

function expectSame(request: PageRequest, all?: Channel[]): string {
  const { ways, ...answered } = answer(request);
  expect(answered, `${ways}: ${JSON.stringify(request)}`).toEqual(reference(request, all));
  return ways;
}

/** Most channels with the text come after all others, so that going through the ordering is given up. */
const IN_VAIN = "ordering, then index";

const REQUESTS: Partial<PageRequest>[] = [
  { text: "КАНАЛ 12" },
  { text: "КАНАЛ 123" },
  { text: "1 общий" },
  { text: "123 канал общий" },
  { text: "0%_o" },
  { text: "нет такого" },
  { text: "ёж 12", max: 2000 },
  { kazan: true },
  { kazan: true, ordering: "-last_post_at" },
  { kazan: true, verified: true, ordering: "-quality" },
  { verified: true, min: 150, max: 151 },
  { verified: true, ordering: "-quality" },
  { kind: "chat", aPlus: true },
  { text: "xyz", kazan: true, ordering: "-citation" },
  { text: "редкий", kazan: true, kind: "chat", ordering: "-last_post_at" },
  { text: "канал 123", max: 4990, ordering: "-citation" },
  { text: "123 канал", min: 1000, max: 4000, ordering: "-citation" },
  { text: "%_off", ordering: "-citation", limit: 100 },
  { text: "%_off", min: 11_500, ordering: "-last_post_at" },
  { text: "редкий", min: 10, ordering: "-quality" },
  { text: "редкий", max: 8000, ordering: "-citation" },
  { text: "редкий", max: 11_900, verified: false, ordering: "-quality" },
  { max: 1000, ordering: "-quality" },
  { min: 11_000, ordering: "-citation" },
  { min: 100, max: 200, ordering: "-last_post_at", aPlus: false },
  { max: 1000, ordering: "-growth_7d" },
  { growth: 800 },
  { reach: 4900, ordering: "-growth_30d_percent" },
  { err: 20_000, growth: 700, ordering: "-reach_30d" },
  { text: "общий", min: 1000, max: 1500, ordering: "-citation" },
  { text: "редкий", min: 100, max: 110, ordering: "-quality" },
  { science: true, min: 11_500, max: 0, ordering: "-quality" },
  { min: 50, reach: 4500, ordering: "-err_30d", aPlus: true },
  {},
  { kind: "chat" },
  { aPlus: false },
  { ordering: "-quality" },
  { ordering: "-last_post_at", aPlus: false },
  { min: 100, max: 200 },
  { max: 4900, ordering: "-citation" },
  { ordering: "-growth_7d" },
  { ordering: "-growth_30d" },
  { ordering: "-growth_30d_percent" },
  { ordering: "-reach_30d", kind: "chat" },
  { ordering: "-err_30d", aPlus: false },
  { ordering: "-growth_30d", growth: 500 },
  { ordering: "-err_30d", err: 500, kind: "chat" },
  { ordering: "-growth_7d", growth: -990 },
  { growth: -990 },
  { ordering: "-quality", reach: 10 },
  { text: "общий" },
  { text: "редкий" },
  { text: "канал общий" },
  { text: "редкий", max: 4000 },
  { text: "общий", ordering: "-quality" },
  { text: "ий к", verified: false, ordering: "-quality" },
  { text: "общий", max: 8000, ordering: "-citation" },
  { text: "общий", aPlus: true },
  { aPlus: true, max: 4000 },
  { text: "общий", ordering: "-growth_30d" },
  { science: true, ordering: "-err_30d" },
  { text: "ий к", ordering: "-reach_30d", reach: 500 },
  { text: "редкий", ordering: "-quality" },
  { text: "редкий", ordering: "-growth_7d" },
  { text: "редкий", ordering: "-growth_30d_percent" },
];

test("a page is what a plain scan finds, at the start of its list and at the end", () => {
  const ways = REQUESTS.map((request) => {
    const first = { ...NO_FILTERS, ...request };
    const all = scan(first);
    // Pages at the end of the list, and one that crosses to channels without a value.
    const valueless = all.findIndex((channel) => channel[COLUMNS[first.ordering]] === null);
    for (const at of [all.length - 10, all.length - 51, all.length - 1, valueless - 10]) {
      const before = all[at];
      if (at >= 0 && before !== undefined) expectSame({ ...first, afterId: before.id }, all);
    }
    return expectSame(first, all);
  });
  expect([...new Set(ways)].sort()).toEqual(["columns", "index", "ordering", IN_VAIN]);
});

const part = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 2 });
const request: fc.Arbitrary<PageRequest> = fc.record({
  text: part(
    fc.constantFrom(
      ...["общий", "РЕДКИЙ", "Еж ", "канал 12", "ий к", "%_off", "общий канал 7", "xyz"],
      ...["Канал общий", "7, ёж редкий", "кан 123 общ"],
    ),
  ),
  kind: fc.constantFrom("channel", "channel", "channel", "chat"),
  science: fc.constantFrom(false, false, true),
  kazan: fc.constantFrom(false, false, false, false, true),
  aPlus: fc.constantFrom(null, null, true, false),
  verified: fc.constantFrom(null, null, null, null, true, false),
  min: part(fc.constantFrom(-1, 0, 10, 100, 2500, 4900, 6000, 11_000, 11_500)),
  max: part(fc.constantFrom(-1, 0, 50, 300, 1000, 3000, 4950, 20_000)),
  growth: fc.constantFrom(null, null, null, -2000, -900, 0, 900),
  reach: fc.constantFrom(null, null, null, 0, 1000, 4900),
  err: fc.constantFrom(null, null, null, 0, 5000, 400_000),
  ordering: fc.constantFrom(...CATALOG_ORDERINGS),
  limit: fc.constantFrom(1, 2, 50, 100),
  afterId: part(fc.integer({ min: 1, max: CHANNELS.length })),
  afterNobody: fc.boolean(),
});

test("any filters, ordering and position give what a plain scan gives", async () => {
  const seen = new Map<string, number>();
  await asTimeAllows(
    fc.property(request, (one) => {
      for (const way of expectSame(one).split(", then ")) seen.set(way, (seen.get(way) ?? 0) + 1);
    }),
    100,
  );
  expect([...seen.keys()].sort()).toEqual(["columns", "index", "ordering"]);
});

test("a list whose pages are found in different ways shows each channel once", async () => {
  const request: PageRequest = { ...NO_FILTERS, text: "редкий", ordering: "-quality" };
  const ids = scan(request).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(10_000);
  expect(answer(request).ways).toBe(IN_VAIN);
  expect(answer({ ...request, afterId: ids[200] ?? 0 }).ways).toBe("ordering");
  const path = `/v1/msgr/channels/?q=${encodeURIComponent("редкий")}&ordering=-quality&limit=100`;
  expect((await pagesOf(appliance, path)).flat()).toEqual(ids);
});

test("an import updates the numbers of public channels with a trigram", () => {
  const counted = appliance.app.domains.db.prepare(
    "SELECT channels FROM search_trigrams WHERE trigram = ?",
  );
  const known = CHANNELS.filter(({ isPublic }) => isPublic);
  expect(counted.raw().get("канал".slice(0, 3))?.[0]).toBe(
    known.filter(({ title }) => title.includes("канал")).length,
  );
});

test("a search is right whatever the stored numbers of trigrams are", () => {
  const { db: stored } = appliance.app.domains;
  stored.exec(
    `INSERT OR REPLACE INTO search_trigrams VALUES
      ('еж ', 70000), ('ж 1', 70000), (' 12', 70000), ('123', 70000)`,
  );
  const known = REQUESTS.map((one) => ({ ...NO_FILTERS, ...one })).map((request) => ({
    request,
    all: scan(request),
  }));
  const changes = [
    "UPDATE search_trigrams SET channels = 1 + channels * 7919 % 100003",
    "UPDATE search_trigrams SET channels = 80000 - channels % 80000",
    "UPDATE search_trigrams SET channels = 1",
    "DELETE FROM search_trigrams",
  ];
  for (const change of changes) {
    stored.exec(change);
    for (const { request, all } of known) expectSame(request, all);
  }
});

test("channels with 0 subscribers are all found, page by page, by ascending id", async () => {
  const uncounted = await startAppliance();
  try {
    const ids = Array.from({ length: 2_500 }, (_, at) => at + 1);
    const rows = ids.map((id) => ({ id, title: `Канал ${id % 7}`, subscribers: 0 }));
    await imported(uncounted, "channels", rows);
    const list = async (q: string) =>
      (await pagesOf(uncounted, `/v1/msgr/channels/?limit=100&q=${encodeURIComponent(q)}`)).flat();
    expect(await list("канал")).toEqual(ids);
    expect(await list("канал 3")).toEqual(ids.filter((id) => id % 7 === 3));
    uncounted.app.domains.db.exec("DELETE FROM search_trigrams");
    expect(await list("канал")).toEqual(ids);
  } finally {
    await uncounted.close();
  }
});
