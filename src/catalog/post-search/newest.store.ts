import type { Database } from "../../db/database.ts";
import { endBelow, minuteRow, nextDayRow } from "./index-rows.ts";
import { type Asked, type Match, walkCandidates } from "./matches.store.ts";
import { selectState } from "./post-search-state.store.ts";

/** A position among posts in the order of time; null: before all. */
export type Newest = readonly [publishedAt: number, id: number] | null;

/** The newest candidates after a position: rows until all that follow are older than what was found. */
export function newest(db: Database, asked: Asked, after: Newest, count: number): Match[] {
  const high = after === null ? asked.high : Math.min(asked.high, endOfRows(db, after[0]));
  let found: Match[] = [];
  /** No later than the last of `count` that were found. */
  let leastAt = Number.NEGATIVE_INFINITY;
  for (const match of walkCandidates(db, { ...asked, high })) {
    // All below this row are older still.
    if (endBelow(match.row) <= leastAt) break;
    if (after !== null && !comesAfter(match, after)) continue;
    found.push(match);
    if (found.length !== count && found.length < 2 * count) continue;
    found = found.sort(byTime).slice(0, count);
    leastAt = found.at(-1)?.published_at ?? leastAt;
  }
  return found.sort(byTime).slice(0, count);
}

/** Behind the rows of all posts up to an instant. */
function endOfRows(db: Database, instantMs: number): number {
  const first = minuteRow(instantMs);
  return Math.min(first + selectState(db).spill + 1, nextDayRow(first));
}

function byTime(one: Match, other: Match): number {
  return other.published_at - one.published_at || other.id - one.id;
}

function comesAfter({ published_at, id }: Match, [at, afterId]: NonNullable<Newest>): boolean {
  return published_at < at || (published_at === at && id < afterId);
}
