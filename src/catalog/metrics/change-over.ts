import { type Day, parseDay } from "../../values/moscow-time.ts";
import type { DailyStatisticsView } from "../statistics/statistics-day.ts";
import { GROWTH_SLACK_DAYS } from "./metrics.ts";

/** A channel's growth up to its last reading. */
export interface Change {
  subscribers: number;
  /** As a part of the subscribers before; null where there were none. */
  part: number | null;
}

/**
 * Growth of a channel over the days before its last reading, from the reading then or the nearest within two days,
 * as its metrics have it (metrics.store.ts); null where there is none.
 * @param rows of one channel, by day
 */
export function changeOver(rows: readonly DailyStatisticsView[], days: number): Change | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const wanted = numberOf(last) - days;
  const distanceOf = (row: DailyStatisticsView) => Math.abs(numberOf(row) - wanted);
  const [before] = rows
    .slice(0, -1)
    .filter((row) => distanceOf(row) <= GROWTH_SLACK_DAYS)
    // The older of two that are equally near comes first.
    .toSorted((one, other) => distanceOf(one) - distanceOf(other));
  if (before === undefined) return null;
  const subscribers = last.subscribers - before.subscribers;
  return { subscribers, part: before.subscribers === 0 ? null : subscribers / before.subscribers };
}

function numberOf({ day }: DailyStatisticsView): Day {
  return parseDay(day) ?? 0;
}
