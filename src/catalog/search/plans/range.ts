import type { Database } from "../../../db/database.ts";
import { and, type Bound, type Query } from "../query.ts";
import { countRows, type Found, selectFound } from "./found.ts";
import { about, type Plan } from "./plan.ts";
import { afterCondition, allEntriesOf, textTests } from "./sql-parts.ts";

/** Limit for channels in a range that are tested and sorted. */
const RANGE_MAX = 20_000;

/** Tests and sorts all channels in a narrow range of subscribers or of a metric. */
export const range: Plan = {
  name: "range",
  applies: [
    {
      words: "a range of subscribers is asked for, or of a metric, in another ordering",
      holds: ({ boundsApart }) => boundsApart.length > 0,
    },
  ],
  run(db, query) {
    for (const inRange of rangesOf(query)) {
      const limited = `SELECT 1 FROM ${inRange} LIMIT @most + 1`;
      if (countRows(db, limited, query, { most: RANGE_MAX }) > RANGE_MAX) continue;
      return findInRange(db, query, inRange);
    }
    return null;
  },
  givesUp: `more than ${about(RANGE_MAX)} channels are in the range`,
};

/**
 * SQL: the channels in each range of another column than the ordering's, by an index in which they lie
 * consecutively.
 */
function rangesOf({ boundsApart }: Query): string[] {
  const ofSubscribers = boundsApart.filter(({ column }) => column === "subscribers");
  const subscribers = `channels c INDEXED BY channels_by_subscribers
    WHERE c.is_public = 1 AND c.is_chat = @isChat ${and(ofSubscribers)}`;
  return [
    ...(ofSubscribers.length === 0 ? [] : [subscribers]),
    ...boundsApart.flatMap(metricRange),
  ];
}

function metricRange({ column, entrySql }: Bound): string[] {
  return column === "subscribers"
    ? []
    : [`metric_orders o WHERE ${allEntriesOf(column)} AND ${entrySql}`];
}

function findInRange(db: Database, query: Query, inRange: string): Found[] {
  const text = textTests(query.tests);
  const channels = inRange.startsWith("channels")
    ? `(SELECT c.* FROM ${inRange}) c`
    : `(SELECT o.id FROM ${inRange}) o CROSS JOIN channels c ON c.id = o.id
         AND c.is_public = 1 AND c.is_chat = @isChat`;
  return selectFound(
    db,
    `SELECT c.id, ${query.value} AS value
     FROM ${channels} ${query.metricsJoin} ${text.join}
     WHERE 1 ${query.conditions} ${afterCondition(query)} ${text.where}
     ORDER BY ${query.value} DESC, c.id LIMIT @limit`,
    query,
  );
}
