import type { Database } from "../../../db/database.ts";
import { endBelow, minuteRow, nextDayRow, startFrom } from "../index-text.ts";
import { selectState } from "../post-search-state.store.ts";
import {
  COUNTED_MAX,
  type Counted,
  countTexts,
  type IndexQuery,
  iterateCandidates,
  lookUp,
  type Match,
  ofCertain,
  readCandidates,
  readRows,
  testTexts,
  toCounted,
  UNBOUNDED,
} from "./matches.store.ts";
import { RANKED_MAX } from "./relevance.store.ts";

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
function byTimeOfRows(db: Database, rows: readonly number[], slice: TimeSlice): Match[] {
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

/**
 * Limit for texts tested for a page: 10 us each, several times that on a busy machine. A page that is not full by then
 * ends after the last of them, and the next page continues there.
 */
export const TEXTS_MAX = 200;

interface Candidates {
  candidates: Match[];
  counted: Counted;
}

/**
 * Candidates of a page. If counting finds all rows, those of the page are looked up directly: FTS5 would
 * scan its lists again for them, which dominates a search for terms that rarely occur together.
 */
export function byTimeCounted(db: Database, indexQuery: IndexQuery, slice: TimeSlice): Candidates {
  const { texts } = indexQuery;
  if (texts !== null) {
    return {
      candidates: byTime(db, indexQuery, { ...slice, count: TEXTS_MAX + 1 }),
      counted: countTexts(db, indexQuery, (most) => testTexts(db, indexQuery, texts, most)),
    };
  }
  const rows = readRows(db, indexQuery, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? byTime(db, indexQuery, slice)
    : byTimeOfRows(db, rows, slice);
  return { candidates, counted };
}

/** The newest matches, to rank: of a query that needs texts, the certain ones and the newest others tested. */
export function newestRanked(db: Database, indexQuery: IndexQuery): Candidates {
  const { texts } = indexQuery;
  if (texts !== null) {
    const tested = testTexts(db, indexQuery, texts, COUNTED_MAX + 1);
    const candidates = readCandidates(db, ofCertain(indexQuery), RANKED_MAX)
      .concat(tested.found)
      .sort((one, other) => other.row - one.row)
      .slice(0, RANKED_MAX);
    return { candidates, counted: countTexts(db, indexQuery, () => tested) };
  }
  const rows = readRows(db, indexQuery, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? readCandidates(db, indexQuery, RANKED_MAX)
    : [...lookUp(db, rows.slice(-RANKED_MAX).reverse())];
  return { candidates, counted };
}
