import type { Database } from "../../db/database.ts";
import { isListedSql } from "../metrics/metrics.ts";
import type { CatalogSelection } from "./catalog.ts";
import { NO_POST_STEP } from "./last-post-order.ts";
import {
  allCandidates,
  byHandle,
  candidates,
  countRows,
  type Found,
  narrowedCandidates,
  selectFound,
} from "./plans/candidates.ts";
import {
  about,
  afterCondition,
  allEntriesOf,
  entriesOf,
  guard,
  type Plan,
  textTests,
  WALK_MAX,
} from "./plans/sql-parts.ts";
import { and, type Bound, METRICS, prepareSelection, type Query, UNBOUNDED } from "./query.ts";
import { expressionOf } from "./search-terms.ts";

/**
 * Walks the ordering from the position onwards, segment by segment: channels with exactly the
 * position's value, then those with lower values, then those without a value. Every page therefore costs as
 * much as the first, however many channels share a value. Null if the page is not full after `most`
 * channels.
 */
function walkOrdering(db: Database, query: Query, most: number): Found[] | null {
  const found: Found[] = [];
  const text = textTests(query.tests);
  let left = most;
  for (const { steps, value, join, tests } of segments(query, most)) {
    // SQLite runs the subquery as a coroutine: it keeps its order and stops once the page is full.
    const page = selectFound(
      db,
      `SELECT c.id, ${value} AS value FROM (${steps} LIMIT @left) ${join} ${text.join}
       WHERE 1 ${tests} ${text.where} LIMIT @need`,
      query,
      { left, need: query.limit - found.length },
    );
    found.push(...page);
    if (found.length >= query.limit) return found;
    if (most === UNBOUNDED) continue;
    left -= countRows(db, `${steps} LIMIT @left`, query, { left });
    if (left <= 0) return null;
  }
  return found;
}

interface Segment {
  /** SQL: a SELECT of its channels with their values, in order; each row is a step of the walk. */
  steps: string;
  /** SQL: a channel's value. */
  value: string;
  /** SQL: the alias of a step, and joins of its channel `c` and of its metrics, where they are needed. */
  join: string;
  /** SQL: all tests except those on the search text. */
  tests: string;
}

/** Part of the ordering: SQL over its column, and over the channel's number. */
interface Part {
  where: string;
  order: string;
  isValueless: boolean;
}

function segments(query: Query, most: number): Segment[] {
  const { ordered, boundsApart, ownBounds } = query;
  const tests = and(boundsApart);
  const isOfMetrics = boundsApart.some(({ column }) => column !== "subscribers");
  if (ordered.by === "last post") {
    return lastPostSegments(query, most, isOfMetrics ? METRICS : "");
  }
  if (ordered.by !== "metrics") {
    const join = `c ${isOfMetrics ? METRICS : ""}`;
    return partsOf(query, `c.${ordered.column}`, "c.id").map(({ where, order }) => ({
      steps: `SELECT c.id, c.${ordered.column} AS value, c.subscribers
        FROM channels c INDEXED BY ${ordered.index}
        WHERE ${guard(most)} AND c.is_public = 1 AND c.is_chat = @isChat ${and(ownBounds)} ${where} ${order}`,
      value: "c.value",
      join,
      tests,
    }));
  }
  const own = ownBounds.map(({ entrySql }) => `AND ${entrySql}`).join(" ");
  return partsOf(query, "o.value", "o.id").map(({ where, order, isValueless }) =>
    isValueless
      ? {
          steps: `SELECT c.id, c.subscribers FROM channels c INDEXED BY channels_by_kind
            WHERE ${guard(most)} AND c.is_public = 1 AND c.is_chat = @isChat
              ${query.after?.[0] === null ? "AND c.id > @afterId" : ""} ORDER BY c.id`,
          value: "NULL",
          join: `c ${METRICS}`,
          tests: `AND m.${ordered.column} IS NULL AND ${isListedSql(ordered.column)} ${tests}`,
        }
      : {
          steps: `SELECT c.id, o.value, c.subscribers
            FROM metric_orders o CROSS JOIN channels c ON c.id = o.id
            WHERE ${guard(most)} AND ${entriesOf(ordered.column)} ${own} ${where}
              AND c.is_public = 1 AND c.is_chat = @isChat ${order}`,
          value: "c.value",
          join: `c ${isOfMetrics ? METRICS : ""}`,
          tests,
        },
  );
}

/**
 * Segments of the order by last posts. Each entry is a step, even if it is outdated, because a channel is
 * only read once the page needs it.
 */
function lastPostSegments({ after, boundsApart }: Query, most: number, metrics: string): Segment[] {
  const segment = (where: string, order: string): Segment => ({
    steps: `SELECT o.id, o.last_post_at AS value FROM last_post_order o
      WHERE ${guard(most)} AND o.is_chat = @isChat AND ${where} ORDER BY ${order}`,
    value: "o.value",
    join: `o CROSS JOIN channels c ON c.id = o.id AND c.last_post_at IS o.value
      AND c.is_public = 1 AND c.is_chat = @isChat ${metrics}`,
    tests: and(boundsApart),
  });
  const sorted = "o.step DESC, o.last_post_at DESC, o.id";
  const valueless = `o.step = ${NO_POST_STEP}`;
  if (after === null) {
    return [segment(`o.step > ${NO_POST_STEP}`, sorted), segment(valueless, "o.id")];
  }
  if (after[0] === null) return [segment(`${valueless} AND o.id > @afterId`, "o.id")];
  const below = `o.step <= @afterStep AND o.step > ${NO_POST_STEP} AND (o.last_post_at < @afterValue
    OR (o.last_post_at = @afterValue AND o.id > @afterId))`;
  return [segment(below, sorted), segment(valueless, "o.id")];
}

function partsOf({ after, ordered, ownBounds }: Query, value: string, id: string): Part[] {
  const valued: Part = {
    where: `AND ${value} IS NOT NULL`,
    order: `ORDER BY ${value} DESC, ${id}`,
    isValueless: false,
  };
  const valueless: Part = {
    where: `AND ${value} IS NULL`,
    order: `ORDER BY ${id}`,
    isValueless: true,
  };
  // Every channel has subscribers, and a channel without a value lies in no range of it.
  const rest = ordered.column === "subscribers" || ownBounds.length > 0 ? [] : [valueless];
  if (after === null) return [valued, ...rest];
  if (after[0] === null) {
    return rest.map((one) => ({ ...one, where: `${one.where} AND ${id} > @afterId` }));
  }
  const tied: Part = {
    where: `AND ${value} = @afterValue AND ${id} > @afterId`,
    order: `ORDER BY ${id}`,
    isValueless: false,
  };
  const below = { ...valued, where: `${valued.where} AND ${value} < @afterValue` };
  return [tied, below, ...rest];
}

/** Walks the ordering itself until the page is full: if nothing is searched, or matches are frequent. */
const walk: Plan = {
  name: "walk",
  applies: [{ words: "every list can be walked", holds: () => true }],
  run: (db, query) => walkOrdering(db, query, query.expression === null ? UNBOUNDED : WALK_MAX),
  givesUp: `the page was not full after ${about(WALK_MAX)} channels`,
};

/** Limit for channels in a range that are tested and sorted. */
const RANGE_MAX = 20_000;

/** Tests and sorts all channels in a narrow range of subscribers or of a metric. */
const range: Plan = {
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

/**
 * All plans for finding a page, in the order in which they are tried: the first that applies and does not
 * give up finds it. They all find the same page; which one is cheap depends on the number of matches
 * (plans/plans.md).
 */
export const PLANS: readonly Plan[] = [
  ...[byHandle, candidates, range, narrowedCandidates, walk, allCandidates],
];

export function queryOf(db: Database, selection: CatalogSelection): Query {
  const prepared = prepareSelection(selection);
  const isSearch = prepared.terms.length > 0;
  return { ...prepared, expression: isSearch ? expressionOf(db, prepared.terms) : null };
}

export interface Planned {
  found: Found[];
  taken: Plan;
  gaveUp: readonly Plan[];
}

export function findByPlan(db: Database, query: Query): Planned {
  const gaveUp: Plan[] = [];
  for (const plan of PLANS) {
    if (!plan.applies.every(({ holds }) => holds(query))) continue;
    const found = plan.run(db, query);
    if (found !== null) return { found, taken: plan, gaveUp };
    gaveUp.push(plan);
  }
  throw new Error("the last plan gave up");
}
