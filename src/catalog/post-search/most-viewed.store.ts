import type { Database } from "../../db/database.ts";
import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { levelOf } from "./index-text.ts";
import { levelExpression, withLevels } from "./match-expression.ts";
import {
  type Asked,
  COUNTED_MAX,
  type Counted,
  countRows,
  countTexts,
  type Match,
  mostViewedOf,
  readMostViewed,
  readRows,
  toCounted,
  UNBOUNDED,
  type ViewsPosition,
} from "./matches.store.ts";
import { newest } from "./newest.store.ts";
import type { FoundPosition } from "./post-search.ts";

/** Most candidates to sort together, the same number as is counted: 5 ms. */
const SORTED_MAX = COUNTED_MAX;
/** Most candidates of one level of views to sort, if a single level has that many: 25 ms. */
const SORTED_OF_LEVEL_MAX = 50_000;
/**
 * Posts, matching or not, of the levels to read together first. Between so few posts FTS5 skips pages of a
 * frequent word's list: with five million posts, 20 ms of processor time instead of 90.
 */
const TOGETHER_FIRST = 1_000;
/** Minimum factor for the next number of posts: every time, lists are scanned again. */
const TOGETHER_GROWTH = 4;
/** Counting so many takes 4 ms. */
const TOGETHER_MAX = 100_000;

/** A page by views, and the number of candidates. */
interface MostViewed {
  matches: Match[];
  counted: Counted;
}

/**
 * The most viewed candidates after a position: all of them sorted, or if there are too many, one level of
 * views after another until there are enough.
 * @throws AppError `invalid` if too many posts have about as many views as the position
 */
export function mostViewed(
  db: Database,
  asked: Asked,
  after: FoundPosition | null,
  count: number,
): MostViewed {
  const position = (after ?? [UNBOUNDED, UNBOUNDED, 0]) as ViewsPosition;
  // The counted rows are the ones to sort: finding them again would take as long.
  const rows = readRows(db, asked, SORTED_MAX + 1);
  const matches =
    rows.length <= SORTED_MAX
      ? mostViewedOf(db, rows, position, count)
      : byLevels(db, asked, position, count);
  return {
    matches,
    counted: asked.hasText === null ? toCounted(rows.length) : countTexts(db, asked, asked.hasText),
  };
}

function byLevels(db: Database, asked: Asked, position: ViewsPosition, count: number): Match[] {
  const [views, at, id] = position;
  const found: Match[] = [];
  let postsMax = TOGETHER_FIRST;
  for (let most = levelOf(views); most > 0 && found.length < count; ) {
    const { least, rows } = readTogether(db, asked, most, postsMax);
    const left = count - found.length;
    found.push(
      ...(rows.length <= SORTED_MAX
        ? mostViewedOf(db, rows, position, left)
        : mostViewedOfLevel(db, ofLevels(asked, most, most), position, left)),
    );
    most = least - 1;
    // Twice as many as should contain the rest, if matches continue at this rate.
    const growth = Math.ceil((2 * count) / Math.max(1, found.length));
    postsMax = Math.min(TOGETHER_MAX, postsMax * Math.max(TOGETHER_GROWTH, growth));
  }
  if (found.length === count) return found;
  // Posts without views are sorted by time only, which is the index's order.
  const unseen = newest(
    db,
    ofLevels(asked, 0, 0),
    views === 0 ? [at, id] : null,
    count - found.length,
  );
  return [...found, ...unseen.found];
}

/** Rows of the levels to sort together with one: of fewer levels if many posts have them. */
function readTogether(
  db: Database,
  asked: Asked,
  most: number,
  postsMax: number,
): { least: number; rows: number[] } {
  let least = leastTogether(db, asked, most, postsMax);
  for (;;) {
    const rows = readRows(db, ofLevels(asked, least, most), SORTED_MAX + 1);
    if (least === most || rows.length <= SORTED_MAX) return { least, rows };
    least = Math.ceil((least + most) / 2);
  }
}

/**
 * The lowest level such that it and those up to another have so many posts; the other level if that alone
 * has more.
 */
function leastTogether(db: Database, asked: Asked, most: number, postsMax: number): number {
  let least = most;
  let left = postsMax - countOfLevel(db, asked, most, postsMax);
  while (least > 1) {
    left -= countOfLevel(db, asked, least - 1, left + 1);
    if (left < 0) break;
    least -= 1;
  }
  return least;
}

function countOfLevel(db: Database, asked: Asked, level: number, most: number): number {
  return countRows(db, { ...asked, match: levelExpression(level) }, most);
}

function mostViewedOfLevel(
  db: Database,
  asked: Asked,
  position: ViewsPosition,
  count: number,
): Match[] {
  if (countRows(db, asked, SORTED_OF_LEVEL_MAX + 1) > SORTED_OF_LEVEL_MAX) {
    throw fieldError({ ordering: [message("tooManyAlike")] });
  }
  return readMostViewed(db, asked, position, count);
}

function ofLevels(asked: Asked, least: number, most: number): Asked {
  return { ...asked, match: withLevels(asked.match, least, most) };
}
