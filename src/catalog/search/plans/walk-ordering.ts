import type { Database } from "../../../db/database.ts";
import { and, METRICS, METRICS_OR_NONE, NOT_SMALL, type Query, UNBOUNDED } from "../query.ts";
import { countRows, type Found, selectFound } from "./found.ts";
import { entriesOf, guard, textTests } from "./sql-parts.ts";

/**
 * Walks the ordering's index from the position on, segment by segment: channels with the
 * position's own value, those below it, those without a value. So every page costs what the first
 * costs, however many channels share a value. Null where the page is not full after `most` channels.
 */
export function walkOrdering(db: Database, query: Query, most: number): Found[] | null {
  const found: Found[] = [];
  const text = textTests(query.tests);
  let left = most;
  for (const { steps, value, join, tests } of segments(query, most)) {
    // The subquery is a coroutine: its order is kept, and it stops when the page is full.
    const page = selectFound(
      db,
      `SELECT c.id, ${value} AS value FROM (${steps} LIMIT @left) c
         ${join} ${text.join}
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
  /** SQL: its channels with their values and subscribers, in the ordering. */
  steps: string;
  /** SQL: the value of `c`, a step. */
  value: string;
  /** SQL: what else of a channel is read, and what is tested besides the search text. */
  join: string;
  tests: string;
}

/** A part of the ordering: SQL over its column, and over the channel's number. */
interface Place {
  where: string;
  order: string;
  isValueless: boolean;
}

function segments(query: Query, most: number): Segment[] {
  const { ordered, boundsApart, ownBounds } = query;
  const tests = and(boundsApart);
  const isOfMetrics = boundsApart.some(({ column }) => column !== "subscribers");
  if (ordered.by === "channels") {
    const join = isOfMetrics ? METRICS : "";
    return placesOf(query, `c.${ordered.column}`, "c.id").map(({ where, order }) => ({
      steps: `SELECT c.id, c.${ordered.column} AS value, c.subscribers
        FROM channels c INDEXED BY ${ordered.index}
        WHERE ${guard(most)} AND c.is_public = 1 AND c.is_chat = @isChat ${and(ownBounds)} ${where} ${order}`,
      ...{ value: "c.value", join, tests },
    }));
  }
  const own = ownBounds.map(({ entrySql }) => `AND ${entrySql}`).join(" ");
  return placesOf(query, "o.value", "o.id").map(({ where, order, isValueless }) =>
    isValueless
      ? {
          steps: `SELECT c.id, c.subscribers FROM channels c INDEXED BY channels_by_kind
            WHERE ${guard(most)} AND c.is_public = 1 AND c.is_chat = @isChat
              ${query.after?.[0] === null ? "AND c.id > @afterId" : ""} ORDER BY c.id`,
          value: "NULL",
          join: METRICS_OR_NONE,
          tests: `AND m.${ordered.column} IS NULL ${tests} ${ordered.isPercent ? NOT_SMALL : ""}`,
        }
      : {
          steps: `SELECT c.id, o.value, c.subscribers
            FROM metric_orders o CROSS JOIN channels c ON c.id = o.id
            WHERE ${guard(most)} AND ${entriesOf(ordered.column)} ${own} ${where}
              AND c.is_public = 1 AND c.is_chat = @isChat ${order}`,
          ...{ value: "c.value", join: isOfMetrics ? METRICS : "", tests },
        },
  );
}

function placesOf({ after, ordered, ownBounds }: Query, value: string, id: string): Place[] {
  const valued: Place = {
    where: `AND ${value} IS NOT NULL`,
    order: `ORDER BY ${value} DESC, ${id}`,
    isValueless: false,
  };
  const valueless: Place = {
    where: `AND ${value} IS NULL`,
    order: `ORDER BY ${id}`,
    isValueless: true,
  };
  // Nobody is without a number of subscribers, and what is without a value is in no range of it.
  const rest = ordered.column === "subscribers" || ownBounds.length > 0 ? [] : [valueless];
  if (after === null) return [valued, ...rest];
  if (after[0] === null) {
    return rest.map((one) => ({ ...one, where: `${one.where} AND ${id} > @afterId` }));
  }
  const tied: Place = {
    where: `AND ${value} = @afterValue AND ${id} > @afterId`,
    order: `ORDER BY ${id}`,
    isValueless: false,
  };
  const below = { ...valued, where: `${valued.where} AND ${value} < @afterValue` };
  return [tied, below, ...rest];
}
