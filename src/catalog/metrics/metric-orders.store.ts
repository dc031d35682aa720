import { type Database, statement, type Transaction } from "../../db/database.ts";
import type { Slot } from "./metrics.store.ts";
import { isListedSql, type MetricOrder } from "./metrics.ts";

/** An entry of an order: the channel's kind, its value, its number. */
export type OrderEntry = readonly [isChat: number, value: number, id: number];

/** Marks orders of a slot as no longer matching its metrics. */
export function markStale(tx: Transaction, slot: Slot, orders: Iterable<MetricOrder>): void {
  const mark = statement(
    tx,
    "INSERT INTO stale_orders (slot, metric) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  for (const { number } of orders) mark.run(slot, number);
}

export function isStale(db: Database, slot: Slot, { number }: MetricOrder): boolean {
  const stale = statement(db, "SELECT 1 FROM stale_orders WHERE slot = ? AND metric = ?");
  return stale.get(slot, number) !== undefined;
}

export function forgetStale(tx: Transaction, slot: Slot, { number }: MetricOrder): void {
  statement(tx, "DELETE FROM stale_orders WHERE slot = ? AND metric = ?").run(slot, number);
}

/** The next values of an order by channel number, above `afterId`. */
export function orderValuesAfter(
  db: Database,
  slot: Slot,
  { metric, isListed }: MetricOrder,
  afterId: number,
  limit: number,
): OrderEntry[] {
  return statement(
    db,
    `SELECT is_chat, ${metric}, id FROM channel_metrics m
     WHERE slot = ? AND id > ? AND ${metric} IS NOT NULL AND (${isListedSql(metric)}) = ${Number(isListed)}
     ORDER BY id LIMIT ?`,
  )
    .raw()
    .all(slot, afterId, limit) as unknown as OrderEntry[];
}

/**
 * Removes the first entries of an order. @returns whether `limit` were removed, so that more may be left
 */
export function removeEntries(
  tx: Transaction,
  slot: Slot,
  { number }: MetricOrder,
  limit: number,
): boolean {
  const last = statement<{ is_chat: number; value: number; id: number }>(
    tx,
    `SELECT is_chat, value, id FROM metric_orders WHERE slot = ? AND metric = ?
     ORDER BY is_chat, value DESC, id LIMIT 1 OFFSET ?`,
  ).get(slot, number, limit - 1);
  const at = { slot, metric: number };
  const all = "DELETE FROM metric_orders WHERE slot = @slot AND metric = @metric";
  if (last === undefined) {
    statement(tx, all).run(at);
    return false;
  }
  const upTo = { ...at, ...last };
  statement(tx, `${all} AND is_chat < @is_chat`).run(upTo);
  statement(tx, `${all} AND is_chat = @is_chat AND value > @value`).run(upTo);
  statement(tx, `${all} AND is_chat = @is_chat AND value = @value AND id <= @id`).run(upTo);
  return true;
}

/** Entries per INSERT: one statement for all of them is faster than one for each. */
const ENTRIES_PER_INSERT = 50;

const ROW = "(?, ?, ?, ?, ?)";
const add = (entries: number) =>
  `INSERT INTO metric_orders (slot, metric, is_chat, value, id)
   VALUES ${Array(entries).fill(ROW).join(", ")}`;

/** Adds entries in the table's own order, so that its pages are written one after another. */
export function addEntries(
  tx: Transaction,
  slot: Slot,
  { number }: MetricOrder,
  entries: readonly OrderEntry[],
): void {
  let at = 0;
  for (; at + ENTRIES_PER_INSERT <= entries.length; at += ENTRIES_PER_INSERT) {
    const values = entries.slice(at, at + ENTRIES_PER_INSERT);
    statement(tx, add(ENTRIES_PER_INSERT)).run(values.flatMap((entry) => [slot, number, ...entry]));
  }
  for (const entry of entries.slice(at)) statement(tx, add(1)).run(slot, number, ...entry);
}
