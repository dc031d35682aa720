import { DAY_MS, type Day, dayOf, startOfDay } from "../../values/moscow-time.ts";

/**
 * Row numbers of posts in the index consist of the Moscow day of publication and the minute within
 * it, with four numbers per minute. A post that finds those taken gets a later number of the same day. So
 * numbers nearly sort posts by time, each day has its own range, and numbers are close together: FTS5
 * stores the differences between them, mostly in one or two bytes each.
 */

const MINUTE_MS = 60_000;
const LAST_MINUTE = DAY_MS / MINUTE_MS - 1;
const ROWS_OF_MINUTE = 4;
/** Room for 134 million posts a day, which takes no more bytes than room for 2 million. */
const ROWS_OF_DAY = 2 ** 27;

export function dayRow(day: Day): number {
  return day * ROWS_OF_DAY;
}

/** First number of the minute that contains an instant. Its posts have this number or a later one. */
export function minuteRow(instantMs: number): number {
  const day = dayOf(instantMs);
  const minute = Math.floor((instantMs - startOfDay(day)) / MINUTE_MS);
  return dayRow(day) + minute * ROWS_OF_MINUTE;
}

/** First number of the day after a row's day. */
export function nextDayRow(row: number): number {
  return dayRow(Math.floor(row / ROWS_OF_DAY) + 1);
}

/** An instant later than every post whose number is at most a row's. */
export function endBelow(row: number): number {
  const day = Math.floor(row / ROWS_OF_DAY);
  const minute = Math.floor((row - dayRow(day)) / ROWS_OF_MINUTE);
  return startOfDay(day) + (Math.min(minute, LAST_MINUTE) + 1) * MINUTE_MS;
}

/**
 * Finds a free number for a post: in its minute, or else in the following ranges, each twice as long as the
 * previous one, so that the thousandth post of one minute does not take a thousand lookups.
 * @param lastIn returns the last number taken from `first` to before `end`; null if none is
 */
export function freeRow(
  publishedAt: number,
  lastIn: (first: number, end: number) => number | null,
): number {
  let first = minuteRow(publishedAt);
  const dayEnd = nextDayRow(first);
  for (let room = ROWS_OF_MINUTE; first < dayEnd; room *= 2) {
    const end = Math.min(first + room, dayEnd);
    const last = lastIn(first, end);
    if (last === null) return first;
    if (last + 1 < end) return last + 1;
    first = end;
  }
  throw new Error("a day has more posts than the index has numbers for");
}
