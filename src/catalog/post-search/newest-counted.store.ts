import type { Database } from "../../db/database.ts";
import {
  COUNTED_MAX,
  type Counted,
  countTexts,
  countTextsOf,
  type IndexQuery,
  lookUpFromLast,
  type Match,
  readCandidates,
  readRows,
  toCounted,
} from "./matches.store.ts";
import { type Newest, newest, newestOfRows } from "./newest.store.ts";
import { RANKED_MAX } from "./relevance.store.ts";

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
