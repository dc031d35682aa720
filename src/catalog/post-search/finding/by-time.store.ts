import type { Database } from "../../../db/database.ts";
import { endBelow, minuteRow, nextDayRow, startFrom } from "../index-text.ts";
import { selectState } from "../post-search-state.store.ts";
import type { IndexQuery, Match } from "./matches.store.ts";
import { iterateCandidates, lookUp, UNBOUNDED } from "./matches.store.ts";

/** A position among posts by time; null to start with the first. */
export type TimePosition = readonly [publishedAt: number, id: number] | null;

/** A part of the matches by time, newest or oldest first. */
interface TimeSlice {
  isOldestFirst: boolean;
  after: TimePosition;
  count: number;
}

/** The first candidates after a position. Reads rows until no other can come before those found. */
export function byTime(db: Database, indexQuery: IndexQuery, slice: TimeSlice): Match[] {
  const { low, high } = rowsAfter(db, slice);
  const range = { low: Math.max(indexQuery.low, low), high: Math.min(indexQuery.high, high) };
  return firstOf(
    db,
    iterateCandidates(db, { ...indexQuery, ...range }, slice.isOldestFirst),
    slice,
  );
}

/** The same among candidates whose rows are all known. @param rows ascending */
export function byTimeOfRows(db: Database, rows: readonly number[], slice: TimeSlice): Match[] {
  const { low, high } = rowsAfter(db, slice);
  const after = rows.filter((row) => row >= low && row < high);
  return firstOf(db, lookUp(db, slice.isOldestFirst ? after : after.reverse()), slice);
}

/** @param candidates in the order of rows: ascending if the oldest come first */
function firstOf(
  db: Database,
  candidates: Iterable<Match>,
  { isOldestFirst, after, count }: TimeSlice,
): Match[] {
  const sign = isOldestFirst ? 1 : -1;
  const compare = (one: Match, other: Match): number =>
    sign * (one.published_at - other.published_at || one.id - other.id);
  const { spill } = selectState(db);
  /** Whether the posts of a row and of all that follow come after an instant. */
  const isPast = (row: number, at: number): boolean =>
    isOldestFirst ? startFrom(row, spill) > at : endBelow(row) <= at;
  let found: Match[] = [];
  /** Instant of the `count`-th match; undefined until there are as many. */
  let lastAt: number | undefined;
  for (const match of candidates) {
    if (lastAt !== undefined && isPast(match.row, lastAt)) break;
    if (after !== null && sign * (match.published_at - after[0] || match.id - after[1]) <= 0) {
      continue;
    }
    found.push(match);
    if (found.length !== count && found.length < 2 * count) continue;
    found = found.sort(compare).slice(0, count);
    lastAt = found.at(-1)?.published_at;
  }
  return found.sort(compare).slice(0, count);
}

/** The rows of all posts that come after a position, and few others. */
function rowsAfter(
  db: Database,
  { isOldestFirst, after }: TimeSlice,
): Pick<IndexQuery, "low" | "high"> {
  if (after === null) return { low: -UNBOUNDED, high: UNBOUNDED };
  const first = minuteRow(after[0]);
  return isOldestFirst
    ? { low: first, high: UNBOUNDED }
    : {
        low: -UNBOUNDED,
        high: Math.min(first + selectState(db).spill + 1, nextDayRow(first)),
      };
}
