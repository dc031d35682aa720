import { type Day, parseDay } from "../../values/moscow-time.ts";
import type { DailyStatisticsView } from "../statistics/statistics.ts";
import { GROWTH_SLACK_DAYS } from "./metrics.ts";

/** A channel's growth up to its last reading. */
export interface Change {
  subscribers: number;
  /** Relative to the subscribers before; null if there were none. */
  part: number | null;
}

/**
 * Growth of a channel to its last reading, from the reading so many days before or the
 * nearest within two days, as in its metrics (metrics.store.ts); null if there is no such reading.
 * @param rows of one channel, by day
 */
export function changeOver(rows: readonly DailyStatisticsView[], days: number): Change | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const target = numberOf(last) - days;
  const distanceOf = (row: DailyStatisticsView) => Math.abs(numberOf(row) - target);
  const [before] = rows
    .slice(0, -1)
    .filter((row) => distanceOf(row) <= GROWTH_SLACK_DAYS)
    // The sort is stable, so of two equally near readings the older one comes first.
    .toSorted((one, other) => distanceOf(one) - distanceOf(other));
  if (before === undefined) return null;
  const subscribers = last.subscribers - before.subscribers;
  return { subscribers, part: before.subscribers === 0 ? null : subscribers / before.subscribers };
}

function numberOf({ day }: DailyStatisticsView): Day {
  return parseDay(day) ?? 0;
}
