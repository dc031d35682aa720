import { type Database, statement, type Transaction } from "../../db/database.ts";
import type { Slot } from "./metrics.store.ts";
import { ORDERED_METRICS, type OrderedMetric } from "./metrics.ts";

/** An entry of an order: the channel's kind, its value, its number. */
export type OrderEntry = readonly [isChat: number, value: number, id: number];

/** Notes that the values of a slot are not those of its order any more. */
export function markStale(tx: Transaction, slot: Slot, metrics: Iterable<OrderedMetric>): void {
  const mark = statement(
    tx,
    "INSERT INTO stale_orders (slot, metric) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  for (const name of metrics) mark.run(slot, ORDERED_METRICS[name]);
}

export function isStale(db: Database, slot: Slot, name: OrderedMetric): boolean {
  const stale = statement(db, "SELECT 1 FROM stale_orders WHERE slot = ? AND metric = ?");
  return stale.get(slot, ORDERED_METRICS[name]) !== undefined;
}

export function forgetStale(tx: Transaction, slot: Slot, name: OrderedMetric): void {
  statement(tx, "DELETE FROM stale_orders WHERE slot = ? AND metric = ?").run(
    slot,
    ORDERED_METRICS[name],
  );
}

/** Values of some channels that have the metric, by number after one. */
export function orderValuesAfter(
  db: Database,
  slot: Slot,
  name: OrderedMetric,
  afterId: number,
  limit: number,
): OrderEntry[] {
  const isLeftOut = name === "growth_30d_percent" ? "AND is_small = 0" : "";
  return statement(
    db,
    `SELECT is_chat, ${name}, id FROM channel_metrics
     WHERE slot = ? AND id > ? AND ${name} IS NOT NULL ${isLeftOut} ORDER BY id LIMIT ?`,
  )
    .raw()
    .all(slot, afterId, limit) as unknown as OrderEntry[];
}

/** Removes some entries of an order. @returns whether there were as many as asked for */
export function removeEntries(
  tx: Transaction,
  slot: Slot,
  name: OrderedMetric,
  limit: number,
): boolean {
  const last = statement<{ is_chat: number; value: number; id: number }>(
    tx,
    `SELECT is_chat, value, id FROM metric_orders WHERE slot = ? AND metric = ?
     ORDER BY is_chat, value DESC, id LIMIT 1 OFFSET ?`,
  ).get(slot, ORDERED_METRICS[name], limit - 1);
  const at = { slot, metric: ORDERED_METRICS[name] };
  const all = "DELETE FROM metric_orders WHERE slot = @slot AND metric = @metric";
  if (last === undefined) {
    statement(tx, all).run(at);
    return false;
  }
  statement(tx, `${all} AND is_chat < @is_chat`).run({ ...at, is_chat: last.is_chat });
  statement(tx, `${all} AND is_chat = @is_chat AND value > @value`).run({
    ...at,
    is_chat: last.is_chat,
    value: last.value,
  });
  statement(tx, `${all} AND is_chat = @is_chat AND value = @value AND id <= @id`).run({
    ...at,
    ...last,
  });
  return true;
}

/** Entries that one statement adds. */
const ADDED_TOGETHER = 50;

const one = "(?, ?, ?, ?, ?)";
const add = (entries: number) =>
  `INSERT INTO metric_orders (slot, metric, is_chat, value, id)
   VALUES ${Array(entries).fill(one).join(", ")}`;

/** Adds entries, in the order of the table: its pages are written one after another. */
export function addEntries(
  tx: Transaction,
  slot: Slot,
  name: OrderedMetric,
  entries: readonly OrderEntry[],
): void {
  const metric = ORDERED_METRICS[name];
  let at = 0;
  for (; at + ADDED_TOGETHER <= entries.length; at += ADDED_TOGETHER) {
    const values = entries.slice(at, at + ADDED_TOGETHER);
    statement(tx, add(ADDED_TOGETHER)).run(values.flatMap((entry) => [slot, metric, ...entry]));
  }
  for (const entry of entries.slice(at)) statement(tx, add(1)).run(slot, metric, ...entry);
}
