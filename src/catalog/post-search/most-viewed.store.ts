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
/** The level from which all are read together first: few posts have more. */
const TEN_THOUSAND = levelOf(10_000);

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
  // Posts whose texts are to be tested are counted fewer than there are.
  if (asked.hasText === null && !isCapped) return sorted(asked, count);

  const found: Match[] = [];
  for (let most = levelOf(views); most >= 0 && found.length < count; ) {
    const left = count - found.length;
    const least = leastTogether(db, asked, most);
    const together = ofLevels(asked, least, most);
    // Posts without views are sorted by time alone, as the index has them.
    if (most === 0) found.push(...newest(db, together, views === 0 ? [at, id] : null, left));
    else {
      if (
        least === most &&
        countRows(db, together, SORTED_OF_LEVEL_MAX + 1) > SORTED_OF_LEVEL_MAX
      ) {
        throw fieldError({ ordering: [message("tooManyAlike")] });
      }
      found.push(...sorted(together, left));
    }
    most = least - 1;
  }
  return found;
}

/** The least of the levels that are sorted together with one: fewer where many posts have them. */
function leastTogether(db: Database, asked: Asked, most: number): number {
  let least = most > TEN_THOUSAND ? TEN_THOUSAND : Math.max(0, most - LEVELS_TOGETHER + 1);
  while (least < most && countRows(db, ofLevels(asked, least, most), SORTED_MAX + 1) > SORTED_MAX) {
    least = Math.ceil((least + most) / 2);
  }
  return least;
}

function ofLevels(asked: Asked, least: number, most: number): Asked {
  return { ...asked, match: withLevels(asked.match, least, most) };
}
