import type { Database } from "../../db/database.ts";
import { endBelow, minuteRow, nextDayRow } from "./index-text.ts";
import {
  COUNTED_MAX,
  type Counted,
  certainCandidates,
  countTexts,
  doubtfulCandidates,
  type IndexQuery,
  iterateCandidates,
  lookUpFromLast,
  type Match,
  readCandidates,
  readRows,
  TEXTS_COUNTED_MAX,
  toCounted,
  UNBOUNDED,
} from "./matches.store.ts";
import { selectState } from "./post-search-state.store.ts";
import { RANKED_MAX } from "./relevance.store.ts";

/** A position among posts by time; null to start with the newest. */
export type Newest = readonly [publishedAt: number, id: number] | null;

/** The newest candidates after a position. Reads rows until all that follow are older than those found. */
export function newest(
  db: Database,
  indexQuery: IndexQuery,
  after: Newest,
  count: number,
): Match[] {
  const high = Math.min(indexQuery.high, endOfRows(db, after));
  return newestOf(iterateCandidates(db, { ...indexQuery, high }), after, count);
}

/** The same among candidates whose rows are all known. @param rows ascending */
function newestOfRows(
  db: Database,
  rows: readonly number[],
  after: Newest,
  count: number,
): Match[] {
  const high = endOfRows(db, after);
  const below = after === null ? rows : rows.filter((row) => row < high);
  return newestOf(lookUpFromLast(db, below), after, count);
}

/** @param candidates by descending row */
function newestOf(candidates: Iterable<Match>, after: Newest, count: number): Match[] {
  let found: Match[] = [];
  /** No later than the `count`-th newest found; -Infinity until so many were found. */
  let leastAt = Number.NEGATIVE_INFINITY;
  for (const match of candidates) {
    // This row and all below it are even older.
    if (endBelow(match.row) <= leastAt) break;
    if (after !== null && !comesAfter(match, after)) continue;
    found.push(match);
    if (found.length !== count && found.length < 2 * count) continue;
    found = found.sort(byTime).slice(0, count);
    leastAt = found.at(-1)?.published_at ?? leastAt;
  }
  return found.sort(byTime).slice(0, count);
}

/** A row above those of all posts that come after a position. */
function endOfRows(db: Database, after: Newest): number {
  if (after === null) return UNBOUNDED;
  const first = minuteRow(after[0]);
  return Math.min(first + selectState(db).spill + 1, nextDayRow(first));
}

function byTime(one: Match, other: Match): number {
  return other.published_at - one.published_at || other.id - one.id;
}

function comesAfter({ published_at, id }: Match, [at, afterId]: NonNullable<Newest>): boolean {
  return published_at < at || (published_at === at && id < afterId);
}

/**
 * Limit for texts tested for a page: 50 us each, 100 on a busy machine. A page that is not full by then
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
export function newestCounted(
  db: Database,
  indexQuery: IndexQuery,
  after: Newest,
  count: number,
): Candidates {
  const rows = readRows(db, indexQuery, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? newest(db, indexQuery, after, count)
    : newestOfRows(db, rows, after, count);
  return { candidates, counted };
}

export function newestRanked(db: Database, indexQuery: IndexQuery): Candidates {
  const rows = readRows(db, indexQuery, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? readCandidates(db, indexQuery, RANKED_MAX)
    : [...lookUpFromLast(db, rows.slice(-RANKED_MAX))];
  return { candidates, counted };
}

type HasText = NonNullable<IndexQuery["hasText"]>;

/** Matches to rank, of a query that needs texts: the newest certain ones, and the newest others tested. */
export function newestTested(db: Database, indexQuery: IndexQuery, hasText: HasText): Candidates {
  const tested = doubtfulCandidates(db, indexQuery, TEXTS_COUNTED_MAX).filter(({ id }) =>
    hasText(id),
  );
  const candidates = [...certainCandidates(db, indexQuery, RANKED_MAX), ...tested]
    .sort((one, other) => other.row - one.row)
    .slice(0, RANKED_MAX);
  return { candidates, counted: countTexts(db, indexQuery, hasText) };
}

/** Candidates of a page whose texts must be tested. */
export function newestOfTexts(
  db: Database,
  indexQuery: IndexQuery,
  after: Newest,
  hasText: HasText,
): Candidates {
  return {
    candidates: newest(db, indexQuery, after, TEXTS_MAX + 1),
    counted: countTexts(db, indexQuery, hasText),
  };
}
