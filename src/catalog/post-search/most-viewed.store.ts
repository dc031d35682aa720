import type { Database } from "../../db/database.ts";
import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { levelOf } from "./index-text.ts";
import { withLevels } from "./match-expression.ts";
import {
  type Asked,
  type Counted,
  countRows,
  type Match,
  readMostViewed,
  UNBOUNDED,
} from "./matches.store.ts";
import { newest } from "./newest.store.ts";
import type { FoundPosition } from "./post-search.ts";

/** Up to so many candidates are sorted together: 5 ms. */
const SORTED_MAX = 10_000;
/** Candidates of one level of views, which are sorted where it takes so many: 25 ms. */
const SORTED_OF_LEVEL_MAX = 50_000;
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
  { isCapped }: Counted,
): Match[] {
  const [views, at, id] = (after ?? [UNBOUNDED, UNBOUNDED, 0]) as [number, number, number];
  const sorted = (some: Asked, limit: number): Match[] =>
    readMostViewed(db, some, [views, at, id], limit);
  // Of posts whose texts are to be tested, fewer are counted than there are.
  if (asked.hasText === null && !isCapped) return sorted(asked, count);

  const found: Match[] = [];
  let most = levelOf(views);
  while (most >= 0 && found.length < count) {
    const left = count - found.length;
    const least = most > MILLION ? MILLION : Math.max(0, most - LEVELS_TOGETHER + 1);
    const together = ofLevels(asked, least, most);
    if (countRows(db, together, SORTED_MAX + 1) <= SORTED_MAX) {
      found.push(...sorted(together, left));
      most = least - 1;
      continue;
    }
    const one = ofLevels(asked, most, most);
    if (most === 0) {
      // Posts without views are sorted by time alone, as the index has them.
      found.push(...newest(db, one, views === 0 ? [at, id] : null, left));
    } else if (countRows(db, one, SORTED_OF_LEVEL_MAX + 1) <= SORTED_OF_LEVEL_MAX) {
      found.push(...sorted(one, left));
    } else {
      throw fieldError({ ordering: [message("tooManyAlike")] });
    }
    most -= 1;
  }
  return found;
}

function ofLevels(asked: Asked, least: number, most: number): Asked {
  return { ...asked, match: withLevels(asked.match, least, most) };
}
