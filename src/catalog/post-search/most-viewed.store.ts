import type { Database } from "../../db/database.ts";
import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { levelOf } from "./index-text.ts";
import { withLevels } from "./match-expression.ts";
import {
  type Asked,
  type Counted,
  type Match,
  readCandidates,
  UNBOUNDED,
} from "./matches.store.ts";
import { byTime, comesAfter, newest } from "./newest.store.ts";
import type { FoundPosition } from "./post-search.ts";

/** Up to so many candidates are read and sorted: 10 ms. */
const SORTED_MAX = 5_000;
/** Candidates of one level of views, which are read and sorted where it takes so many. */
const SORTED_OF_LEVEL_MAX = 20_000;
/** Levels that are read together: from 1,000 to 9,999 views, say. */
const LEVELS_TOGETHER = 3;
/** The level of a million views: few posts have more. */
const MILLION = levelOf(1_000_000);

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
  { matches, isCapped }: Counted,
): Match[] {
  const [views, ...place] = (after ?? [UNBOUNDED, UNBOUNDED, 0]) as [number, number, number];
  const inOrder = (some: readonly Match[]): Match[] =>
    some
      .filter((match) => match.views < views || (match.views === views && comesAfter(match, place)))
      .sort((one, other) => other.views - one.views || byTime(one, other));
  // Of posts whose texts are to be tested, fewer are counted than there are.
  const isFew = asked.hasText === null && !isCapped && matches <= SORTED_MAX;
  if (isFew) return inOrder(readCandidates(db, asked, SORTED_MAX)).slice(0, count);

  const found: Match[] = [];
  let most = levelOf(views);
  while (most >= 0 && found.length < count) {
    let least = most > MILLION ? MILLION : Math.max(0, most - LEVELS_TOGETHER + 1);
    let some = readLevels(db, asked, [least, most], SORTED_MAX);
    if (some === null) {
      least = most;
      // Posts without views are sorted by time alone, as the index has them.
      some =
        most === 0
          ? newest(db, ofLevels(asked, [0, 0]), views === 0 ? place : null, count - found.length)
          : readLevels(db, asked, [most, most], SORTED_OF_LEVEL_MAX);
    }
    if (some === null) throw fieldError({ ordering: [message("tooManyAlike")] });
    found.push(...inOrder(some));
    most = least - 1;
  }
  return found.slice(0, count);
}

type Levels = readonly [least: number, most: number];

function ofLevels(asked: Asked, [least, most]: Levels): Asked {
  return { ...asked, match: withLevels(asked.match, least, most) };
}

/** Null where there are more. */
function readLevels(db: Database, asked: Asked, levels: Levels, most: number): Match[] | null {
  const some = readCandidates(db, ofLevels(asked, levels), most + 1);
  return some.length > most ? null : some;
}
