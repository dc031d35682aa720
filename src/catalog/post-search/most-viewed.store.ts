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

/** Up to so many candidates are sorted together, as many as are counted: 5 ms. */
const SORTED_MAX = COUNTED_MAX;
/** Candidates of one level of views, which are sorted where it takes so many: 25 ms. */
const SORTED_OF_LEVEL_MAX = 50_000;
/**
 * Posts, matching or not, of the levels that are read together first. Between so few posts FTS5 leaves out pages of a
 * frequent word's list: of five million posts, 20 ms of the processor in place of 90.
 */
const TOGETHER_FIRST = 1_000;
/** How many times as many are read together next, at the least: each time lists are walked anew. */
const TOGETHER_GROWTH = 4;
/** To count so many takes 4 ms. */
const TOGETHER_MAX = 100_000;

/** A page by views, and how many candidates there are. */
interface MostViewed {
  matches: Match[];
  counted: Counted;
}

/**
 * The candidates with most views after a position: all of them sorted, or where they are too many, level
 * after level of views until there are enough.
 * @throws AppError `invalid` where too many have about as many views as those at the position
 */
export function mostViewed(
  db: Database,
  asked: Asked,
  after: FoundPosition | null,
  count: number,
): MostViewed {
  const position = (after ?? [UNBOUNDED, UNBOUNDED, 0]) as ViewsPosition;
  // The rows that are counted are those that are sorted: to find them again would take as long.
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
    // Twice as many as have the rest, if matches go on as they began.
    const growth = Math.ceil((2 * count) / Math.max(1, found.length));
    postsMax = Math.min(TOGETHER_MAX, postsMax * Math.max(TOGETHER_GROWTH, growth));
  }
  if (found.length === count) return found;
  // Posts without views are sorted by time alone, as the index has them.
  const unseen = newest(
    db,
    ofLevels(asked, 0, 0),
    views === 0 ? [at, id] : null,
    count - found.length,
  );
  return [...found, ...unseen.found];
}

/** Rows of the levels that are sorted together with one: of fewer levels where many posts have them. */
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

/** The least level with so many posts from it up to another, or that other where it has more alone. */
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
