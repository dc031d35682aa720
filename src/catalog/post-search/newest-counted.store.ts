import type { Database } from "../../db/database.ts";
import {
  type Asked,
  COUNTED_MAX,
  type Counted,
  countForms,
  countTexts,
  lookUpFromLast,
  type Match,
  readCandidates,
  readRows,
  toCounted,
} from "./matches.store.ts";
import { type Newest, newest, newestOfRows } from "./newest.store.ts";
import { RANKED_MAX } from "./relevance.store.ts";

/**
 * Most texts to test for a page: 50 us each, 100 on a busy machine. A page that is not full by then ends
 * after the last one, and the next page continues there.
 */
export const TEXTS_MAX = 200;

/** Candidates for a page, and how many there are. */
interface Candidates {
  candidates: Match[];
  counted: Counted;
}

/**
 * If counting finds all rows, those of the page are looked up directly: FTS5 would scan its lists again for
 * them, which dominates a search for terms that rarely occur together.
 */
export function newestCounted(
  db: Database,
  asked: Asked,
  after: Newest,
  count: number,
): Candidates {
  const rows = readRows(db, asked, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? newest(db, asked, after, count).found
    : newestOfRows(db, rows, after, count);
  return { candidates, counted };
}

/** Candidates to rank. */
export function newestRanked(db: Database, asked: Asked): Candidates {
  const rows = readRows(db, asked, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? readCandidates(db, asked, RANKED_MAX)
    : [...lookUpFromLast(db, rows.slice(-RANKED_MAX))];
  return { candidates, counted };
}

type HasText = NonNullable<Asked["hasText"]>;

/** Candidates to rank whose texts must be tested: the count tests some of the same texts. */
export function newestTested(db: Database, asked: Asked, hasText: HasText): Candidates {
  const candidates = readCandidates(db, asked, TEXTS_MAX);
  return { candidates, counted: countForms(candidates, hasText) };
}

/** Candidates of a page whose texts must be tested. */
export function newestOfTexts(
  db: Database,
  asked: Asked,
  after: Newest,
  hasText: HasText,
): Candidates {
  const { found, walked } = newest(db, asked, after, TEXTS_MAX + 1);
  // The candidates of a first page are the newest overall.
  const counted = after === null ? countForms(walked, hasText) : countTexts(db, asked, hasText);
  return { candidates: found, counted };
}
