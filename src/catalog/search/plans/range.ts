import { countRows, selectFound } from "./found.ts";
import { about, type Plan } from "./plan.ts";
import { afterCondition, textTests } from "./sql-parts.ts";

/** The most channels in a range of subscribers that are tested and sorted. */
const RANGE_MAX = 20_000;

/** All channels in a narrow range of subscribers, tested and sorted. */
export const range: Plan = {
  name: "range",
  applies: [
    {
      words: "a range of subscribers is asked for, in another ordering",
      holds: ({ isRangeApart }) => isRangeApart,
    },
  ],
  run(db, query) {
    const inRange = `channels c INDEXED BY channels_by_subscribers
      WHERE c.is_public = 1 AND c.is_chat = @isChat ${query.range}`;
    const text = textTests(query.tests);
    const limited = `SELECT 1 FROM ${inRange} LIMIT @most + 1`;
    if (countRows(db, limited, query, { most: RANGE_MAX }) > RANGE_MAX) return null;
    return selectFound(
      db,
      `SELECT c.id, c.${query.column} AS value
       FROM (SELECT c.* FROM ${inRange} ${afterCondition(query)}) c
         ${text.join}
       WHERE 1 ${text.where}
       ORDER BY c.${query.column} DESC, c.id LIMIT @limit`,
      query,
    );
  },
  givesUp: `more than ${about(RANGE_MAX)} channels are in the range`,
};
