import type { Database } from "../../db/database.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Day, dayOf } from "../../values/moscow-time.ts";
import type { Engagement, LeftOut, Readings, Slot, StoredMetrics } from "./metrics.store.ts";
import {
  beginRun,
  currentSlot,
  isLastRun,
  publishRun,
  readingsAfter,
  STORED_COLUMNS,
  saveLeftOut,
  saveMetrics,
  selectEngagement,
  selectLeftOut,
  storedMetrics,
} from "./metrics.store.ts";
import { FRESH_DAYS, hundredthsOf, METRIC_NAMES } from "./metrics.ts";

/** Channels to compute at a time, outside transactions. */
const CHANNELS_PER_READ = 500;
/** Rows per step: less than a millisecond of the write lock. */
const ROWS_PER_STEP = 50;

/**
 * Computes the metrics of all channels from stored days and posts, as defined in section 2 of questions.
 * Changed rows are written to a slot that nobody reads, which the last transaction makes the
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
      for (const { now } of changed.splice(0, ROWS_PER_STEP)) saveMetrics(tx, run.slot, now);
      return changed.length > 0;
    });
  }
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
