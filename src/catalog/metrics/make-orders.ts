import type { Database } from "../../db/database.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  addEntries,
  forgetStale,
  isStale,
  type OrderEntry,
  orderValuesAfter,
  removeEntries,
} from "./metric-orders.store.ts";
import { isLastRun, type Run, type Slot } from "./metrics.store.ts";
import { METRIC_ORDERS, type MetricOrder } from "./metrics.ts";

/** Values to read at a time, so that no query holds its snapshot of the file for long. */
const VALUES_PER_READ = 10_000;
/** Entries per step: some half a millisecond of the write lock. */
const ENTRIES_PER_STEP = 500;

/**
 * Rebuilds a slot's orders whose values changed. If interrupted, an order stays marked, and is rebuilt from
 * the start next time.
 */
export async function makeOrders(db: Database, clock: Clock, run: Run): Promise<void> {
  const { slot } = run;
  for (const order of METRIC_ORDERS) {
    if (!isStale(db, slot, order)) continue;
    await inParts(
      db,
      clock,
      "metric-orders",
      (tx) => isLastRun(tx, run) && removeEntries(tx, slot, order, ENTRIES_PER_STEP),
    );
    const entries = sortedValues(db, slot, order);
    await inParts(db, clock, "metric-orders", (tx) => {
      if (!isLastRun(tx, run)) return false;
      const batch = take(entries, ENTRIES_PER_STEP);
      addEntries(tx, slot, order, batch);
      return batch.length === ENTRIES_PER_STEP;
    });
    await inTransaction(db, clock, "metric-orders", (tx) => {
      if (isLastRun(tx, run)) forgetStale(tx, slot, order);
    });
  }
}

function take<T>(items: Iterator<T, void>, count: number): T[] {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = items.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/**
 * All values of an order, sorted. They are read and sorted before the first is taken, because that happens
 * under the write lock. A million take 30 MB.
 */
function sortedValues(db: Database, slot: Slot, order: MetricOrder): Iterator<OrderEntry, void> {
  const isChat: number[] = [];
  const value: number[] = [];
  const id: number[] = [];
  for (let afterId = 0; ; ) {
    const values = orderValuesAfter(db, slot, order, afterId, VALUES_PER_READ);
    for (const entry of values) {
      isChat.push(entry[0]);
      value.push(entry[1]);
      id.push(entry[2]);
    }
    const last = values.at(-1);
    if (last === undefined) break;
    afterId = last[2];
  }
  const at = (column: number[], place: number): number => column[place] ?? 0;
  const places = Uint32Array.from(id.keys()).sort(
    (one, other) =>
      at(isChat, one) - at(isChat, other) ||
      at(value, other) - at(value, one) ||
      at(id, one) - at(id, other),
  );
  const entryAt = (place: number): OrderEntry => [
    at(isChat, place),
    at(value, place),
    at(id, place),
  ];
  return places.values().map(entryAt);
}
