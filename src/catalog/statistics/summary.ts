import { type Day, parseDay } from "../../values/moscow-time.ts";
import type { DailyStatisticsView } from "./statistics-day.ts";

/** How much older than asked a reading may be, where the day itself has none. */
const SLACK_DAYS = 3;

/** A channel's growth up to its last reading. */
export interface Change {
  subscribers: number;
  /** As a part of the subscribers before; null where there were none. */
  part: number | null;
}

/**
 * Growth of a channel over the days before its last reading; null where no reading is old enough.
 * @param rows of one channel, by day
 */
export function changeOver(rows: readonly DailyStatisticsView[], days: number): Change | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const wanted = numberOf(last) - days;
  const before = rows.findLast((row) => numberOf(row) <= wanted);
  if (before === undefined || numberOf(before) < wanted - SLACK_DAYS) return null;
  const subscribers = last.subscribers - before.subscribers;
  return { subscribers, part: before.subscribers === 0 ? null : subscribers / before.subscribers };
}

/** Averages over days, rounded; null where there is nothing to divide by. */
interface Averages {
  viewsPerPost: number | null;
  postsPerDay: number | null;
}

export function averagesOf(rows: readonly DailyStatisticsView[]): Averages {
  const posts = rows.reduce((sum, row) => sum + row.posts, 0);
  // Days without a counted post may have views that an import gave.
  const views = rows.reduce((sum, row) => sum + (row.posts > 0 ? row.views : 0), 0);
  return {
    viewsPerPost: posts === 0 ? null : Math.round(views / posts),
    postsPerDay: rows.length === 0 ? null : Math.round((100 * posts) / rows.length) / 100,
  };
}

function numberOf({ day }: DailyStatisticsView): Day {
  return parseDay(day) ?? 0;
}
