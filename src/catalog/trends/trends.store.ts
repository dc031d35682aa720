import { gunzipSync, gzipSync } from "node:zlib";
import { type Database, statement, type Transaction } from "../../db/database.ts";
import { type Day, formatInstant } from "../../values/moscow-time.ts";
import { facet } from "../channels/search-text.ts";
import type { Made, Rising, Trends, TrendView } from "./trends.ts";
import { POSTS_OF_CHANNEL_MAX, risingIn, shownPosts } from "./trends.ts";

export interface TextRow {
  channel: number;
  id: number;
  text: string;
  published_at: number;
  views: number;
}

/** A channel's last posts between two instants, in order of time. */
export function textsOf(
  db: Database,
  channel: number,
  [fromMs, untilMs]: readonly [number, number],
): TextRow[] {
  const sql = `
    SELECT channel_id AS channel, id, text, published_at, views FROM posts INDEXED BY posts_by_time
    WHERE channel_id = ? AND published_at >= ? AND published_at < ?
    ORDER BY published_at DESC, id DESC LIMIT ?`;
  return statement<TextRow>(db, sql).all(channel, fromMs, untilMs, POSTS_OF_CHANNEL_MAX).reverse();
}

/** Numbers of public channels after one, ascending. */
export function publicChannels(db: Database, after: number, limit: number): number[] {
  return statement(db, "SELECT id FROM channels WHERE id > ? AND is_public = 1 ORDER BY id LIMIT ?")
    .pluck<number>()
    .all(after, limit);
}

export function lastChannel(db: Database): number {
  return statement<{ id: number | null }>(db, "SELECT max(id) AS id FROM channels").get()?.id ?? 0;
}

/** Counts of a day as stored: pairs of the hash of a term and how many channels used it. */
export function packedCounts(counts: ReadonlyMap<number, number>): Uint8Array {
  const pairs = new Int32Array(2 * counts.size);
  let at = 0;
  for (const pair of counts) {
    pairs.set(pair, at);
    at += 2;
  }
  return gzipSync(pairs, { level: 1 });
}

/** @param terms by `packedCounts`, which takes too long for a transaction */
export function saveDay(
  tx: Transaction,
  { day, channels, countedAt }: CountedDay,
  terms: Uint8Array,
): void {
  const sql =
    "INSERT OR REPLACE INTO trend_days (day, channels, counted_at, terms) VALUES (?, ?, ?, ?)";
  statement(tx, sql).run(day, channels, countedAt, terms);
}

interface CountedDay {
  day: Day;
  /** Those that wrote. */
  channels: number;
  countedAt: number;
}

/** Days that are counted, that counted longest ago first. */
export function countedDays(db: Database): CountedDay[] {
  const sql =
    "SELECT day, channels, counted_at AS countedAt FROM trend_days ORDER BY counted_at, day";
  return statement<CountedDay>(db, sql).all();
}

/** Passes the hash of each term of a day, and how many channels used it. */
export function eachOfDay(db: Database, day: Day, each: (hash: number, channels: number) => void) {
  const sql = "SELECT terms FROM trend_days WHERE day = ?";
  const row = statement<{ terms: Uint8Array }>(db, sql).get(day);
  if (row === undefined) return;
  const pairs = new Int32Array(new Uint8Array(gunzipSync(row.terms)).buffer);
  for (let at = 0; at < pairs.length; at += 2) each(pairs[at] ?? 0, pairs[at + 1] ?? 0);
}

export function forgetDaysOutside(tx: Transaction, first: Day, last: Day): void {
  statement(tx, "DELETE FROM trend_days WHERE day < ? OR day > ?").run(first, last);
}

export const packedMade = (made: Made): Uint8Array => gzipSync(JSON.stringify(made), { level: 1 });

/** @param content by `packedMade` */
export function saveMade(tx: Transaction, madeAt: number, content: Uint8Array): void {
  statement(tx, "INSERT OR REPLACE INTO trends (id, made_at, content) VALUES (1, ?, ?)").run(
    ...[madeAt, content],
  );
}

/** The last result read through each connection, since unpacking one takes some milliseconds. */
const kept = new WeakMap<Database, Made>();

/** The result of the last run; null before the first. */
export function readMade(db: Database): Made | null {
  const made = statement<{ made_at: number }>(db, "SELECT made_at FROM trends").get();
  if (made === undefined) return null;
  const known = kept.get(db);
  if (known?.madeAt === made.made_at) return known;
  const row = statement<{ content: Uint8Array }>(db, "SELECT content FROM trends").get();
  const read = JSON.parse(gunzipSync(row?.content ?? "").toString()) as Made;
  kept.set(db, read);
  return read;
}

export interface TrendSelection {
  hours: number;
  categoryId: number | null;
  territoryId: number | null;
  limit: number;
}

export function selectTrends(db: Database, selection: TrendSelection): Trends {
  const made = readMade(db);
  if (made === null) return { madeAt: null, comparedDays: 0, cutChannels: 0, results: [] };
  const { hours, limit } = selection;
  const rising = risingIn(made, hours, channelsIn(db, made, selection)).slice(0, limit);
  const posts = postsOf(db, rising);
  const results = rising.map(({ term: _, best, ...shown }) => ({
    ...shown,
    top_posts: shownPosts(
      best.flatMap(({ id, views }) => {
        const post = posts.get(id);
        return post === undefined ? [] : [{ ...post, views }];
      }),
    ),
  }));
  const { madeAt, comparedDays, cutChannels = 0 } = made;
  return { madeAt, comparedDays, cutChannels, results };
}

/** A test for channels of a category and territory, as their facets tell; null for all. */
function channelsIn(
  db: Database,
  { terms }: Made,
  { categoryId, territoryId }: TrendSelection,
): ((channel: number) => boolean) | null {
  if (categoryId === null && territoryId === null) return null;
  const ids = new Set(terms.flatMap(({ uses }) => uses.map(([, channel]) => channel)));
  const sql = `SELECT c.id FROM json_each(@ids) given CROSS JOIN channels c ON c.id = given.value
      CROSS JOIN channel_texts t ON t.id = c.id
    WHERE c.is_public = 1 AND instr(t.facets, @category) > 0
      AND instr(t.facets, @territory) > 0`;
  const rows = statement<{ id: number }>(db, sql).all({
    ids: JSON.stringify([...ids]),
    category: categoryId === null ? "" : facet("category", categoryId),
    territory: territoryId === null ? "" : facet("territory", territoryId),
  });
  const found = new Set(rows.map(({ id }) => id));
  return (channel) => found.has(channel);
}

type Shown = Omit<TrendView["top_posts"][number], "views">;

function postsOf(db: Database, rising: readonly Rising[]): Map<number, Shown> {
  const ids = rising.flatMap(({ best }) => best.map(({ id }) => id));
  const sql = `
    SELECT p.id, p.channel_id AS channel, k.title AS channel_title, p.published_at, p.link
    FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value
      CROSS JOIN channels c ON c.id = p.channel_id AND c.is_public = 1
      CROSS JOIN channel_cards k ON k.id = c.id`;
  const rows = statement<Omit<Shown, "published_at"> & { published_at: number }>(db, sql).all(
    JSON.stringify(ids),
  );
  return new Map(
    rows.map((row) => [row.id, { ...row, published_at: formatInstant(row.published_at) }]),
  );
}
