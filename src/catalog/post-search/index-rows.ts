import { DAY_MS, type Day, dayOf, startOfDay } from "../../values/moscow-time.ts";

/**
 * Numbers of posts in the index: the Moscow day of publication, and in it the minute, with four numbers
 * to each. A post that finds those taken gets a later number of the same day. So the newest come nearly
 * sorted, a day has its own numbers, and numbers lie close together: FTS5 writes the distances between
 * them, mostly one or two bytes each.
 */

const MINUTE_MS = 60_000;
const LAST_MINUTE = DAY_MS / MINUTE_MS - 1;
const ROWS_OF_MINUTE = 4;
/** Room for 134 million posts of a day, which costs no more bytes than room for 2 million. */
const ROWS_OF_DAY = 2 ** 27;

/** The first number of a day. */
export function dayRow(day: Day): number {
  return day * ROWS_OF_DAY;
}

/** The first number of the minute in which an instant lies. Its posts have this number or a later one. */
export function minuteRow(instantMs: number): number {
  const day = dayOf(instantMs);
  const minute = Math.floor((instantMs - startOfDay(day)) / MINUTE_MS);
  return dayRow(day) + minute * ROWS_OF_MINUTE;
}

/** The first number of the day after the one of a row. */
export function nextDayRow(row: number): number {
  return dayRow(Math.floor(row / ROWS_OF_DAY) + 1);
}

/** An instant that is later than every post whose number is below a row. */
export function endBelow(row: number): number {
  const day = Math.floor(row / ROWS_OF_DAY);
  const minute = Math.floor((row - dayRow(day)) / ROWS_OF_MINUTE);
  return startOfDay(day) + (Math.min(minute, LAST_MINUTE) + 1) * MINUTE_MS;
}

/**
 * Finds a free number for a post: in its minute, else in ranges behind that, each twice as long as the one
 * before, so that a day's thousandth post of one minute is not looked for a thousand times.
 * @param lastIn the last number that is taken between two, the second not included; null where none is
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
