import type { Database } from "../../db/database.ts";
import { endBelow, minuteRow, nextDayRow } from "./index-rows.ts";
import {
  type Asked,
  lookUpFromLast,
  type Match,
  UNBOUNDED,
  walkCandidates,
} from "./matches.store.ts";
import { selectState } from "./post-search-state.store.ts";

/** A position among posts in the order of time; null: before all. */
export type Newest = readonly [publishedAt: number, id: number] | null;

/** The newest candidates after a position, and those that were walked through first. */
interface NewestFound {
  found: Match[];
  walked: Match[];
}

/** The newest candidates after a position: rows until all that follow are older than what was found. */
export function newest(db: Database, asked: Asked, after: Newest, count: number): NewestFound {
  const high = Math.min(asked.high, endOfRows(db, after));
  return newestOf(walkCandidates(db, { ...asked, high }), after, count);
}

/** The same of candidates all of whose rows are known, in their order. */
export function newestOfRows(
  db: Database,
  rows: readonly number[],
  after: Newest,
  count: number,
): Match[] {
  const high = endOfRows(db, after);
  const below = after === null ? rows : rows.filter((row) => row < high);
  return newestOf(lookUpFromLast(db, below), after, count).found;
}

/** @param candidates in the order of their rows, from the last on */
function newestOf(candidates: Iterable<Match>, after: Newest, count: number): NewestFound {
  let found: Match[] = [];
  const walked: Match[] = [];
  /** No later than the last of `count` that were found. */
  let leastAt = Number.NEGATIVE_INFINITY;
  for (const match of candidates) {
    if (walked.length < count) walked.push(match);
    // All below this row are older still.
    if (endBelow(match.row) <= leastAt) break;
    if (after !== null && !comesAfter(match, after)) continue;
    found.push(match);
    if (found.length !== count && found.length < 2 * count) continue;
    found = found.sort(byTime).slice(0, count);
    leastAt = found.at(-1)?.published_at ?? leastAt;
  }
  return { found: found.sort(byTime).slice(0, count), walked };
}

/** Behind the rows of all posts up to a position. */
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
