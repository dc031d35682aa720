import type { Database } from "../../../db/database.ts";
import { fieldError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { levelOf } from "../index-text.ts";
import { byTime } from "./by-time.store.ts";
import { levelExpression, withLevels } from "./match-expression.ts";
import type { IndexQuery, Match, ViewsPosition } from "./matches.store.ts";
import { COUNTED_MAX, countRows, mostViewedOf, readMostViewed, readRows } from "./matches.store.ts";

/** Limit for candidates sorted together, the same as for counting: 5 ms. */
const SORTED_MAX = COUNTED_MAX;
/** Limit for candidates of a single level of views, which cannot be divided further: 25 ms. */
const SORTED_OF_LEVEL_MAX = 50_000;
/**
 * Posts, matching or not, of the levels that are read together first. With so few posts FTS5 skips pages of
 * a frequent word's list: with five million posts, 20 ms of processor time instead of 90.
 */
const TOGETHER_FIRST = 1_000;
/** The next levels have at least so many times as many posts, because each time lists are scanned again. */
const TOGETHER_GROWTH = 4;
/** Limit for the posts of levels read together: counting so many takes 4 ms. */
const TOGETHER_MAX = 100_000;

/**
 * The most viewed candidates after a position: all of them sorted, or if there are too many, one level of views after
 * another until there are enough.
 * @throws AppError `invalid` if too many posts have about as many views as the position
 */
export function byLevels(
  db: Database,
  indexQuery: IndexQuery,
  position: ViewsPosition,
  count: number,
): Match[] {
  // Where the index decides alone, all were counted, and are too many.
  if (indexQuery.texts !== null) {
    const rows = readRows(db, indexQuery, SORTED_MAX + 1);
    if (rows.length <= SORTED_MAX) return mostViewedOf(db, rows, position, count);
  }
  const [views, at, id] = position;
  const found: Match[] = [];
  let postsMax = TOGETHER_FIRST;
  for (let most = levelOf(views); most > 0 && found.length < count; ) {
    const { least, rows } = readTogether(db, indexQuery, most, postsMax);
    const left = count - found.length;
    found.push(
      ...(rows.length <= SORTED_MAX
        ? mostViewedOf(db, rows, position, left)
        : mostViewedOfLevel(db, ofLevels(indexQuery, most, most), position, left)),
    );
    most = least - 1;
    // Enough for twice the rest of the page, if matches go on at this rate.
    const growth = Math.ceil((2 * count) / Math.max(1, found.length));
    postsMax = Math.min(TOGETHER_MAX, postsMax * Math.max(TOGETHER_GROWTH, growth));
  }
  if (found.length === count) return found;
  // Posts without views are sorted by time only, which is the index's order.
  const unseen = byTime(db, ofLevels(indexQuery, 0, 0), {
    isOldestFirst: false,
    after: views === 0 ? [at, id] : null,
    count: count - found.length,
  });
  return [...found, ...unseen];
}

/**
 * Rows of candidates from level `most` down to `least`; `least` is higher if those are too many to sort.
 */
function readTogether(
  db: Database,
  indexQuery: IndexQuery,
  most: number,
  postsMax: number,
): { least: number; rows: number[] } {
  let least = leastTogether(db, indexQuery, most, postsMax);
  for (;;) {
    const rows = readRows(db, ofLevels(indexQuery, least, most), SORTED_MAX + 1);
    if (least === most || rows.length <= SORTED_MAX) return { least, rows };
    least = Math.ceil((least + most) / 2);
  }
}

/**
 * The lowest level such that it and those up to `most` have at most `postsMax` posts in all; `most` itself
 * if that alone has more.
 */
function leastTogether(
  db: Database,
  indexQuery: IndexQuery,
  most: number,
  postsMax: number,
): number {
  let least = most;
  let left = postsMax - countOfLevel(db, indexQuery, most, postsMax);
  while (least > 1) {
    left -= countOfLevel(db, indexQuery, least - 1, left + 1);
    if (left < 0) break;
    least -= 1;
  }
  return least;
}

function countOfLevel(db: Database, indexQuery: IndexQuery, level: number, most: number): number {
  return countRows(db, { ...indexQuery, match: levelExpression(level) }, most);
}

function mostViewedOfLevel(
  db: Database,
  indexQuery: IndexQuery,
  position: ViewsPosition,
  count: number,
): Match[] {
  if (countRows(db, indexQuery, SORTED_OF_LEVEL_MAX + 1) > SORTED_OF_LEVEL_MAX) {
    throw fieldError({ ordering: [message("tooManyAlike")] });
  }
  return readMostViewed(db, indexQuery, position, count);
}

function ofLevels(indexQuery: IndexQuery, least: number, most: number): IndexQuery {
  return { ...indexQuery, match: withLevels(indexQuery.match, least, most) };
}
