import type { Database, Transaction } from "../../db/database.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Day, dayOf } from "../../values/moscow-time.ts";
import {
  addEntries,
  forgetStale,
  isStale,
  markStale,
  type OrderEntry,
  orderValuesAfter,
  removeEntries,
} from "./metric-orders.store.ts";
import {
  beginRun,
  currentSlot,
  type Engagement,
  isLastRun,
  type LeftOut,
  publishRun,
  type Readings,
  type Run,
  readingsAfter,
  type Slot,
  STORED_COLUMNS,
  type StoredMetrics,
  saveLeftOut,
  saveMetrics,
  selectEngagement,
  selectLeftOut,
  storedMetrics,
} from "./metrics.store.ts";
import {
  FRESH_DAYS,
  hundredthsOf,
  isListed,
  METRIC_NAMES,
  METRIC_ORDERS,
  type MetricOrder,
} from "./metrics.ts";

/** Channels to compute at a time, outside transactions. */
const CHANNELS_PER_READ = 500;
/** Rows per step: less than a millisecond of the write lock. */
const ROWS_PER_STEP = 50;

/**
 * Computes the metrics of all channels from stored days and posts, as defined in section 2 of questions.
 * Changed rows and orders are written to a slot that nobody reads, which the last transaction makes the
 * current one: readers see either run's metrics, never a mixture. If interrupted, it starts over and skips
 * what is already written; if another run begins meanwhile, only that one continues.
 * @returns false if the current metrics were still right, or if a later run took over
 */
export async function computeMetrics(db: Database, clock: Clock): Promise<boolean> {
  const today = dayOf(clock.now());
  const leftOut = { channels: 0, chats: 0 };
  if (!hasDifferences(db, currentSlot(db), today, leftOut)) {
    const known = selectLeftOut(db);
    if (known.channels !== leftOut.channels || known.chats !== leftOut.chats) {
      await inTransaction(db, clock, "metrics", (tx) => saveLeftOut(tx, leftOut));
    }
    return false;
  }
  const run = await inTransaction(db, clock, "metrics", beginRun);
  Object.assign(leftOut, { channels: 0, chats: 0 });
  for (const changed of differences(db, run.slot, today, leftOut)) {
    if (changed.length === 0) continue;
    await inParts(db, clock, "metrics", (tx) => {
      if (!isLastRun(tx, run)) return false;
      for (const one of changed.splice(0, ROWS_PER_STEP)) save(tx, run.slot, one);
      return changed.length > 0;
    });
  }
  await makeOrders(db, clock, run);
  return inTransaction(db, clock, "metrics", (tx) => publishRun(tx, run, leftOut));
}

function hasDifferences(db: Database, slot: Slot, today: Day, leftOut: LeftOut): boolean {
  for (const changed of differences(db, slot, today, leftOut)) if (changed.length > 0) return true;
  return false;
}

interface Difference {
  now: StoredMetrics;
  stored: StoredMetrics | undefined;
}

/** Channels whose metrics differ from those in a slot, some at a time; adds to `leftOut` who is left out. */
function* differences(
  db: Database,
  slot: Slot,
  today: Day,
  leftOut: LeftOut,
): Generator<Difference[], void> {
  for (let afterId = 0; ; ) {
    const readings = readingsAfter(db, afterId, CHANNELS_PER_READ);
    const first = readings[0];
    const last = readings.at(-1);
    if (first === undefined || last === undefined) return;
    afterId = last.id;
    const range = [first.id, last.id] as const;
    const engagement = selectEngagement(db, range, today);
    const stored = storedMetrics(db, slot, range);
    for (const { is_public, is_chat, day } of readings) {
      if (is_public === 1 && !isFresh(day, today)) leftOut[is_chat === 1 ? "chats" : "channels"]++;
    }
    yield readings
      .map((one) => ({
        now: metricsOf(one, engagement.get(one.id), today),
        stored: stored.get(one.id),
      }))
      .filter(differs);
  }
}

/** Whether a row must be written; a channel without any known metric needs none. */
function differs({ now, stored }: Difference): boolean {
  return stored === undefined
    ? METRIC_NAMES.some((name) => now[name] !== null)
    : STORED_COLUMNS.some((name) => now[name] !== stored[name]);
}

function isFresh(day: Day | null, today: Day): boolean {
  return day !== null && today - day <= FRESH_DAYS;
}

function metricsOf(
  readings: Readings,
  engagement: Engagement | undefined,
  today: Day,
): StoredMetrics {
  const { id, is_chat, is_small, subscribers, day, last, before1, before7, before30 } = readings;
  const is_fresh = Number(isFresh(day, today));
  const growth = (before: number | null) =>
    is_fresh === 0 || last === null || before === null ? null : last - before;
  const percent = (before: number | null) => {
    const grown = growth(before);
    return grown === null ? null : hundredthsOf(grown, before ?? 0);
  };
  const counted = readings.hasPosts === 1 ? 0 : null;
  const mean = (views = 0, posts = 0) => (posts === 0 ? null : Math.round(views / posts));
  const reach = mean(engagement?.views, engagement?.viewed);
  return {
    id,
    is_chat,
    is_small,
    is_fresh,
    growth_1d: growth(before1),
    growth_7d: growth(before7),
    growth_30d: growth(before30),
    growth_7d_percent: percent(before7),
    growth_30d_percent: percent(before30),
    posts_30d: engagement?.posts ?? counted,
    ads_30d: engagement?.ads ?? counted,
    reach_30d: reach,
    err_30d: reach === null ? null : hundredthsOf(reach, subscribers),
    statistics_until: day,
    reach_24h: mean(engagement?.views_24h, engagement?.reach_24h_posts),
    reach_24h_posts: engagement?.reach_24h_posts ?? counted,
    reach_48h: mean(engagement?.views_48h, engagement?.reach_48h_posts),
    reach_48h_posts: engagement?.reach_48h_posts ?? counted,
    ad_reach_24h: mean(engagement?.ad_views_24h, engagement?.ad_reach_24h_posts),
    ad_reach_24h_posts: engagement?.ad_reach_24h_posts ?? counted,
    ad_reach_48h: mean(engagement?.ad_views_48h, engagement?.ad_reach_48h_posts),
    ad_reach_48h_posts: engagement?.ad_reach_48h_posts ?? counted,
  };
}

function save(tx: Transaction, slot: Slot, { now, stored }: Difference): void {
  saveMetrics(tx, slot, now);
  const isOtherKind = stored !== undefined && stored.is_chat !== now.is_chat;
  markStale(
    tx,
    slot,
    METRIC_ORDERS.filter((order) => isOtherKind || entryIn(order, now) !== entryIn(order, stored)),
  );
}

/** The value that stands for a channel in an order; null if it is not in it. */
function entryIn(order: MetricOrder, metrics: StoredMetrics | undefined): number | null {
  const { metric } = order;
  if (metrics === undefined || isListed(metric, metrics) !== order.isListed) return null;
  return metrics[metric];
}

/** Values to read at a time, so that no query holds its snapshot of the file for long. */
const VALUES_PER_READ = 10_000;
/** Entries per step: some half a millisecond of the write lock. */
const ENTRIES_PER_STEP = 500;

/**
 * Rebuilds a slot's orders whose values changed. If interrupted, an order stays marked, and is rebuilt from
 * the start next time.
 */
async function makeOrders(db: Database, clock: Clock, run: Run): Promise<void> {
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
