import type { Database } from "../../db/database.ts";
import { endBelow, minuteRow, nextDayRow } from "./index-text.ts";
import {
  COUNTED_MAX,
  type Counted,
  countTexts,
  countTextsOf,
  type IndexQuery,
  iterateCandidates,
  lookUpFromLast,
  type Match,
  readCandidates,
  readRows,
  toCounted,
  UNBOUNDED,
} from "./matches.store.ts";
import { selectState } from "./post-search-state.store.ts";
import { RANKED_MAX } from "./relevance.store.ts";

/** A position among posts by time; null to start with the newest. */
export type Newest = readonly [publishedAt: number, id: number] | null;

/** The newest candidates after a position, and those scanned on the way. */
interface NewestFound {
  found: Match[];
  scanned: Match[];
}

/** The newest candidates after a position. Reads rows until all that follow are older than those found. */
export function newest(
  db: Database,
  indexQuery: IndexQuery,
  after: Newest,
  count: number,
): NewestFound {
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
  return newestOf(lookUpFromLast(db, below), after, count).found;
}

/** @param candidates by descending row */
function newestOf(candidates: Iterable<Match>, after: Newest, count: number): NewestFound {
  let found: Match[] = [];
  const scanned: Match[] = [];
  /** No later than the `count`-th newest found; -Infinity until so many were found. */
  let leastAt = Number.NEGATIVE_INFINITY;
  for (const match of candidates) {
    if (scanned.length < count) scanned.push(match);
    // This row and all below it are even older.
    if (endBelow(match.row) <= leastAt) break;
    if (after !== null && !comesAfter(match, after)) continue;
    found.push(match);
    if (found.length !== count && found.length < 2 * count) continue;
    found = found.sort(byTime).slice(0, count);
    leastAt = found.at(-1)?.published_at ?? leastAt;
  }
  return { found: found.sort(byTime).slice(0, count), scanned };
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
    ? newest(db, indexQuery, after, count).found
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

/** Candidates to rank whose texts must be tested; they are also the ones to count. */
export function newestTested(db: Database, indexQuery: IndexQuery, hasText: HasText): Candidates {
  const candidates = readCandidates(db, indexQuery, TEXTS_MAX);
  return { candidates, counted: countTextsOf(candidates, hasText) };
}

/** Candidates of a page whose texts must be tested. */
export function newestOfTexts(
  db: Database,
  indexQuery: IndexQuery,
  after: Newest,
  hasText: HasText,
): Candidates {
  const { found, scanned } = newest(db, indexQuery, after, TEXTS_MAX + 1);
  // The candidates of a first page are the newest overall.
  const counted =
    after === null ? countTextsOf(scanned, hasText) : countTexts(db, indexQuery, hasText);
  return { candidates: found, counted };
}
