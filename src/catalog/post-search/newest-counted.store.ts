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
 * Texts that are tested for a page: 50 us each, 100 on a busy machine. A page that has not found enough in
 * them ends behind the last, and the next one goes on there.
 */
export const TEXTS_MAX = 200;

/** Candidates for a page, and how many there are. */
interface Candidates {
  candidates: Match[];
  counted: Counted;
}

/**
 * Where all rows are found by counting them, those of the page are looked up: FTS5 would walk through its lists once
 * more for them, which is the most of a search for what seldom stands together.
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

/** Those that are ranked. */
export function newestRanked(db: Database, asked: Asked): Candidates {
  const rows = readRows(db, asked, COUNTED_MAX + 1);
  const counted = toCounted(rows.length);
  const candidates = counted.isCapped
    ? readCandidates(db, asked, RANKED_MAX)
    : [...lookUpFromLast(db, rows.slice(-RANKED_MAX))];
  return { candidates, counted };
}

type HasText = NonNullable<Asked["hasText"]>;

/** Those that are ranked, where texts are to be tested: the count tests some of the same. */
export function newestTested(db: Database, asked: Asked, hasText: HasText): Candidates {
  const candidates = readCandidates(db, asked, TEXTS_MAX);
  return { candidates, counted: countForms(candidates, hasText) };
}

/** Those of a page whose texts are to be tested. */
export function newestOfTexts(
  db: Database,
  asked: Asked,
  after: Newest,
  hasText: HasText,
): Candidates {
  const { found, walked } = newest(db, asked, after, TEXTS_MAX + 1);
  // Those of a first page are the first of all.
  const counted = after === null ? countForms(walked, hasText) : countTexts(db, asked, hasText);
  return { candidates: found, counted };
}
