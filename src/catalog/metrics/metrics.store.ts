import { type Database, statement, type Transaction } from "../../db/database.ts";
import { DAY_MS, type Day, startOfDay } from "../../values/moscow-time.ts";
import { ARE_VIEWS_KNOWN } from "../posts/posts.store.ts";
import type { Listing, MetricsRecord, MetricsView } from "./metrics.ts";
import {
  ENGAGEMENT_DAYS,
  GROWTH_SLACK_DAYS,
  METRIC_NAMES,
  SMALL_BELOW,
  toMetricsView,
} from "./metrics.ts";

/** One of two slots: a run writes to one while everybody reads the other. */
export type Slot = 0 | 1;

/** SQL: the current slot. */
export const CURRENT_SLOT = "(SELECT slot FROM metrics_read)";

/** SQL: a channel's row in the current slot; a channel whose kind changed has none. */
export function metricsOf(id: string, isChat: string): string {
  return `m.slot = ${CURRENT_SLOT} AND m.id = ${id} AND m.is_chat = ${isChat}`;
}

/** A channel's metrics as stored by a run. */
export interface StoredMetrics extends MetricsRecord, Listing {
  id: number;
  is_chat: number;
}

export const STORED_COLUMNS = ["is_chat", "is_small", "is_fresh", ...METRIC_NAMES] as const;

/** Known metrics of public channels, by number. */
export function selectMetrics(db: Database, ids: readonly number[]): Map<number, MetricsView> {
  const sql = `SELECT c.id, ${METRIC_NAMES.map((name) => `m.${name}`).join(", ")}
     FROM json_each(?) given CROSS JOIN channels c ON c.id = given.value AND c.is_public = 1
     CROSS JOIN channel_metrics m ON ${metricsOf("c.id", "c.is_chat")}`;
  const rows = statement<MetricsRecord & { id: number }>(db, sql).all(JSON.stringify(ids));
  return new Map(rows.map(({ id, ...record }) => [id, toMetricsView(record)]));
}

export function currentSlot(db: Database): Slot {
  return statement<{ slot: Slot }>(db, "SELECT slot FROM metrics_read").get()?.slot ?? 0;
}

/** How many runs were published: another number, other metrics. */
export function publishedRun(db: Database): number {
  const sql = "SELECT published FROM metrics_read";
  return statement<{ published: number }>(db, sql).get()?.published ?? 0;
}

/** A run that computes metrics: its number, and the slot it writes to. */
export interface Run {
  number: number;
  slot: Slot;
}

/** Begins a run. A run in progress, in any process, ends at its next step. */
export function beginRun(tx: Transaction): Run {
  const sql = "UPDATE metrics_read SET run = run + 1 RETURNING run, 1 - slot AS slot";
  const { run, slot } = statement<{ run: number; slot: Slot }>(tx, sql).all()[0] as {
    run: number;
    slot: Slot;
  };
  return { number: run, slot };
}

export function isLastRun(tx: Transaction, { number }: Run): boolean {
  return statement(tx, "SELECT 1 FROM metrics_read WHERE run = ?").get(number) !== undefined;
}

/** How many public channels, and chats, lists in the order of a metric left out at the last run. */
export interface LeftOut {
  channels: number;
  chats: number;
}

export function selectLeftOut(db: Database): LeftOut {
  const sql = "SELECT channels_left_out AS channels, chats_left_out AS chats FROM metrics_read";
  return statement<LeftOut>(db, sql).all()[0] as LeftOut;
}

const SAVE_LEFT_OUT =
  "UPDATE metrics_read SET channels_left_out = @channels, chats_left_out = @chats";

export function saveLeftOut(tx: Transaction, leftOut: LeftOut): void {
  statement(tx, SAVE_LEFT_OUT).run({ ...leftOut });
}

/** Makes the run's slot the current one. @returns false if a later run has begun */
export function publishRun(tx: Transaction, run: Run, leftOut: LeftOut): boolean {
  const sql = `${SAVE_LEFT_OUT}, slot = @slot, published = published + 1 WHERE run = @number`;
  const publish = statement(tx, sql);
  return publish.run({ ...run, ...leftOut }).changes === 1;
}

export interface Readings {
  id: number;
  is_public: number;
  is_chat: number;
  is_small: number;
  subscribers: number;
  /** Day of the last reading, and its subscribers; null if there is none. */
  day: Day | null;
  last: number | null;
  /** Subscribers at the readings that growth is computed from. */
  before1: number | null;
  before7: number | null;
  before30: number | null;
  /** 1 if any of its posts are stored, however old. */
  hasPosts: number;
}

/**
 * SQL: subscribers at the reading so many days before the last one, or the nearest within two days; of two
 * equally near, the older. Nearly all are found in the first lookup.
 */
function before(days: number): string {
  const target = `s.day - ${days}`;
  const slack = GROWTH_SLACK_DAYS;
  return `coalesce(
    (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day = ${target}),
    (SELECT b.subscribers FROM daily_statistics b
     WHERE b.channel_id = c.id
       AND b.day BETWEEN ${target} - ${slack} AND min(${target} + ${slack}, s.day - 1)
     ORDER BY abs(b.day - (${target})), b.day LIMIT 1)) AS before${days}`;
}

const READINGS = `
  SELECT c.id, c.is_public, c.is_chat, c.subscribers < ${SMALL_BELOW} AS is_small, c.subscribers,
    s.day, s.subscribers AS last, ${before(1)}, ${before(7)}, ${before(30)},
    EXISTS (SELECT 1 FROM posts WHERE channel_id = c.id) AS hasPosts
  FROM channels c LEFT JOIN daily_statistics s
    ON s.channel_id = c.id
      AND s.day = (SELECT max(day) FROM daily_statistics WHERE channel_id = c.id)
  WHERE c.id > ? ORDER BY c.id LIMIT ?`;

/** Readings of the next channels above `afterId`, public or not, by number. */
export function readingsAfter(db: Database, afterId: number, limit: number): Readings[] {
  return statement<Readings>(db, READINGS).all(afterId, limit);
}

export interface Engagement {
  id: number;
  posts: number;
  ads: number;
  /** Total views of posts with known views, and the number of these posts. */
  views: number;
  viewed: number;
  /** Total views at an age of posts with a reading then, and the number of these posts. */
  views_24h: number;
  reach_24h_posts: number;
  views_48h: number;
  reach_48h_posts: number;
  ad_views_24h: number;
  ad_reach_24h_posts: number;
  ad_views_48h: number;
  ad_reach_48h_posts: number;
}

/** SQL: total and number of the posts' views at an age, of all of them and of advertising. */
const viewsAt = (age: string) => `
    coalesce(sum(p.views_${age}), 0) AS views_${age}, count(p.views_${age}) AS reach_${age}_posts,
    coalesce(sum(p.views_${age}) FILTER (WHERE p.is_ad = 1), 0) AS ad_views_${age},
    count(p.views_${age}) FILTER (WHERE p.is_ad = 1) AS ad_reach_${age}_posts`;

/** SQL: posts of today are still being read. */
const IS_REACH_KNOWN = `p.published_at < @todayMs AND ${ARE_VIEWS_KNOWN}`;

/** SQL: the day of a channel's last reading, or yesterday. */
const UNTIL = "ifnull((SELECT max(day) FROM daily_statistics WHERE channel_id = c.id), @today - 1)";

/** SQL: the instant at which a day begins. */
const startSql = (day: string) => `(${day}) * ${DAY_MS} + ${startOfDay(0)}`;

const ENGAGEMENT = `
  SELECT c.id, count(*) AS posts, sum(p.is_ad) AS ads,
    coalesce(sum(p.views) FILTER (WHERE ${IS_REACH_KNOWN}), 0) AS views,
    count(*) FILTER (WHERE ${IS_REACH_KNOWN}) AS viewed, ${viewsAt("24h")}, ${viewsAt("48h")}
  FROM channels c CROSS JOIN posts p INDEXED BY posts_by_time ON p.channel_id = c.id
      AND p.published_at >= ${startSql(`${UNTIL} - ${ENGAGEMENT_DAYS - 1}`)}
      AND p.published_at < ${startSql(`${UNTIL} + 1`)}
  WHERE c.id BETWEEN @first AND @last
  GROUP BY c.id`;

/** Engagement of channels in a range of numbers that have posts in the days up to their last reading. */
export function selectEngagement(
  db: Database,
  [first, last]: readonly [number, number],
  today: Day,
): Map<number, Engagement> {
  const values = { first, last, today, todayMs: startOfDay(today) };
  const rows = statement<Engagement>(db, ENGAGEMENT).all(values);
  return new Map(rows.map((row) => [row.id, row]));
}

export function storedMetrics(
  db: Database,
  slot: Slot,
  [first, last]: readonly [number, number],
): Map<number, StoredMetrics> {
  const sql = `SELECT id, ${STORED_COLUMNS.join(", ")} FROM channel_metrics
    WHERE slot = ? AND id BETWEEN ? AND ?`;
  const rows = statement<StoredMetrics>(db, sql).all(slot, first, last);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Only if the channel still exists, since it may have been deleted after it was read. */
const SAVE = `
  INSERT INTO channel_metrics (slot, id, ${STORED_COLUMNS.join(", ")})
  SELECT @slot, @id, ${STORED_COLUMNS.map((name) => `@${name}`).join(", ")}
  WHERE EXISTS (SELECT 1 FROM channels WHERE id = @id)
  ON CONFLICT (slot, id) DO UPDATE SET
    ${STORED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;

export function saveMetrics(tx: Transaction, slot: Slot, metrics: StoredMetrics): void {
  statement(tx, SAVE).run({ slot, ...metrics });
}
