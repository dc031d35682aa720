import type { Query } from "../query.ts";
import { countRows, selectFound } from "./found.ts";
import { about, type Plan } from "./plan.ts";
import { afterCondition } from "./sql-parts.ts";

/** The most channels in a range of subscribers that are tested and sorted. */
const RANGE_MAX = 10_000;
/** The most steps of the search index that a narrow range has: its channels are of few sizes. */
const NARROW_MAX = 10;

/** Channels in the range of subscribers, tested and sorted. */
export const range: Plan = {
  name: "range",
  applies: [
    {
      words: "a range of subscribers is asked for, in another ordering",
      holds: ({ isRangeApart }) => isRangeApart,
    },
    {
      // Channels of few sizes may all lie far down in the ordering. In a wide range of which so many
      // match, there are too many to be sorted.
      words: `the range has few sizes, or at most ${about(RANGE_MAX / 2)} matches are expected`,
      holds: (query) => isNarrow(query) || (query.sample?.matches ?? 0) <= RANGE_MAX / 2,
      figures: ({ part, sample }) => {
        const matches = sample === null ? "nothing is known of matches" : about(sample.matches);
        return `${matches}, in ${part.endStep - part.firstStep} steps of the index`;
      },
    },
  ],
  run(db, query) {
    const inRange = `channels c INDEXED BY channels_by_subscribers
     WHERE c.is_public = 1 AND c.kind = @kind ${query.range}`;
    const limited = `SELECT 1 FROM ${inRange} LIMIT @most + 1`;
    if (countRows(db, limited, query, { most: RANGE_MAX }) > RANGE_MAX) return null;
    // The index has all that is tested and sorted, so no row is read.
    return selectFound(
      db,
      `SELECT c.id, c.${query.column} AS value FROM ${inRange} ${afterCondition(query)} ${query.tests}
     ORDER BY c.${query.column} DESC, c.id LIMIT @limit`,
      query,
    );
  },
  givesUp: `more than ${about(RANGE_MAX)} channels are in the range`,
};

/** Whether the range of subscribers is narrow. */
export function isNarrow({ isRangeApart, part }: Query): boolean {
  return isRangeApart && part.endStep - part.firstStep <= NARROW_MAX;
}
