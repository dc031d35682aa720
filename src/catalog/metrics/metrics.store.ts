import { type Database, statement, type Transaction } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";
import { ARE_VIEWS_KNOWN } from "../posts/posts.store.ts";
import {
  GROWTH_SLACK_DAYS,
  METRIC_NAMES,
  type MetricsRecord,
  type MetricsView,
  SMALL_BELOW,
  toMetricsView,
} from "./metrics.ts";

/** Where a run writes, and where everybody reads. */
export type Slot = 0 | 1;

/** SQL: the slot that is read. */
export const SLOT_READ = "(SELECT slot FROM metrics_read)";

/** SQL: the row of metrics that is read, by a condition on its channel's number; a channel whose kind changed has none. */
export function metricsOf(id: string, isChat: string): string {
  return `m.slot = ${SLOT_READ} AND m.id = ${id} AND m.is_chat = ${isChat}`;
}

/** A channel's metrics as a run stores them. */
export interface StoredMetrics extends MetricsRecord {
  id: number;
  is_chat: number;
  /** 1: it has so few subscribers that percents of it are left out of their order. */
  is_small: number;
}

export const STORED_COLUMNS = ["is_chat", "is_small", ...METRIC_NAMES] as const;

/** The metrics of public channels that are known, by number. */
export function selectMetrics(db: Database, ids: readonly number[]): Map<number, MetricsView> {
  const rows = statement<MetricsRecord & { id: number }>(
    db,
    `SELECT c.id, ${METRIC_NAMES.map((name) => `m.${name}`).join(", ")}
     FROM json_each(?) given CROSS JOIN channels c ON c.id = given.value AND c.is_public = 1
     CROSS JOIN channel_metrics m ON ${metricsOf("c.id", "c.is_chat")}`,
  ).all(JSON.stringify(ids));
  return new Map(rows.map(({ id, ...record }) => [id, toMetricsView(record)]));
}

export function slotRead(db: Database): Slot {
  return statement<{ slot: Slot }>(db, "SELECT slot FROM metrics_read").get()?.slot ?? 0;
}

/** A run that computes metrics: its number, and the slot that it writes. */
export interface Run {
  number: number;
  slot: Slot;
}

/** Begins a run. One that is under way, in whatever process, is over with its next step. */
export function beginRun(tx: Transaction): Run {
  const { run, slot } = statement<{ run: number; slot: Slot }>(
    tx,
    "UPDATE metrics_read SET run = run + 1 RETURNING run, 1 - slot AS slot",
  ).all()[0] as { run: number; slot: Slot };
  return { number: run, slot };
}

/** Whether no other run began after it. */
export function isLastRun(tx: Transaction, { number }: Run): boolean {
  return statement(tx, "SELECT 1 FROM metrics_read WHERE run = ?").get(number) !== undefined;
}

/** From now on what the run wrote is read. */
export function readRun(tx: Transaction, { number, slot }: Run): boolean {
  const read = statement(tx, "UPDATE metrics_read SET slot = ? WHERE run = ?");
  return read.run(slot, number).changes === 1;
}

/** Readings from which the metrics of a channel are computed, beside its posts. */
export interface Readings {
  id: number;
  is_chat: number;
  is_small: number;
  subscribers: number;
  /** The day of the last reading, and its subscribers; null where there is none. */
  day: Day | null;
  last: number | null;
  /** Subscribers by the readings that growth is counted from. */
  before1: number | null;
  before7: number | null;
  before30: number | null;
  /** 1: posts of it are stored, however old. */
  hasPosts: number;
}

/**
 * SQL: subscribers by the reading so many days before the last one, or by the nearest within two days; of
 * two that are equally near, by the older. Nearly all are found at the first look.
 */
function before(days: number): string {
  const wanted = `s.day - ${days}`;
  const slack = GROWTH_SLACK_DAYS;
  return `coalesce(
    (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day = ${wanted}),
    (SELECT b.subscribers FROM daily_statistics b
     WHERE b.channel_id = c.id
       AND b.day BETWEEN ${wanted} - ${slack} AND min(${wanted} + ${slack}, s.day - 1)
     ORDER BY abs(b.day - (${wanted})), b.day LIMIT 1)) AS before${days}`;
}

const READINGS = `
  SELECT c.id, c.is_chat, c.subscribers < ${SMALL_BELOW} AS is_small, c.subscribers,
    s.day, s.subscribers AS last, ${before(1)}, ${before(7)}, ${before(30)},
    EXISTS (SELECT 1 FROM posts WHERE channel_id = c.id) AS hasPosts
  FROM channels c LEFT JOIN daily_statistics s
    ON s.channel_id = c.id
      AND s.day = (SELECT max(day) FROM daily_statistics WHERE channel_id = c.id)
  WHERE c.id > ? ORDER BY c.id LIMIT ?`;

/** Readings of some channels, public or not, by number after one. */
export function readingsAfter(db: Database, afterId: number, limit: number): Readings[] {
  return statement<Readings>(db, READINGS).all(afterId, limit);
}

/** Posts of a channel that were published in a time. */
export interface Engagement {
  id: number;
  posts: number;
  ads: number;
  /** Views of the posts whose views are known, and how many these are. */
  views: number;
  viewed: number;
}

const ENGAGEMENT = `
  SELECT c.id, count(*) AS posts, sum(p.is_ad) AS ads,
    coalesce(sum(p.views) FILTER (WHERE ${ARE_VIEWS_KNOWN}), 0) AS views,
    count(*) FILTER (WHERE ${ARE_VIEWS_KNOWN}) AS viewed
  FROM channels c CROSS JOIN posts p INDEXED BY posts_by_time ON p.channel_id = c.id
  WHERE c.id BETWEEN ? AND ? AND p.published_at >= ? AND p.published_at < ?
  GROUP BY c.id`;

/** Engagement of the channels in a range of numbers that have posts between two instants. */
export function selectEngagement(
  db: Database,
  [first, last]: readonly [number, number],
  [fromMs, untilMs]: readonly [number, number],
): Map<number, Engagement> {
  const rows = statement<Engagement>(db, ENGAGEMENT).all(first, last, fromMs, untilMs);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The stored metrics of a slot for the channels in a range of numbers. */
export function storedMetrics(
  db: Database,
  slot: Slot,
  [first, last]: readonly [number, number],
): Map<number, StoredMetrics> {
  const rows = statement<StoredMetrics>(
    db,
    `SELECT id, ${STORED_COLUMNS.join(", ")} FROM channel_metrics
     WHERE slot = ? AND id BETWEEN ? AND ?`,
  ).all(slot, first, last);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A channel may have been deleted since it was read. */
const SAVE = `
  INSERT INTO channel_metrics (slot, id, ${STORED_COLUMNS.join(", ")})
  SELECT @slot, @id, ${STORED_COLUMNS.map((name) => `@${name}`).join(", ")}
  WHERE EXISTS (SELECT 1 FROM channels WHERE id = @id)
  ON CONFLICT (slot, id) DO UPDATE SET
    ${STORED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;

export function saveMetrics(tx: Transaction, slot: Slot, metrics: StoredMetrics): void {
  statement(tx, SAVE).run({ slot, ...metrics });
}
