import type { Database } from "../../../db/database.ts";
import { type Query, UNBOUNDED } from "../query.ts";
import { countRows, type Found, selectFound } from "./found.ts";
import { guard, textTests } from "./sql-parts.ts";

/**
 * Walks the ordering's index from the position on, segment by segment: channels with the
 * position's own value, those below it, those without a value. So every page costs what the first
 * costs, however many channels share a value. Null where the page is not full after `most` channels.
 */
export function walkOrdering(db: Database, query: Query, most: number): Found[] | null {
  const found: Found[] = [];
  const { isRangeApart, range } = query;
  const text = textTests(query.tests);
  let left = most;
  for (const { where, order } of segments(query)) {
    const segment = `SELECT c.id, c.${query.column} AS value, c.subscribers
      FROM channels c INDEXED BY ${query.index}
      WHERE ${guard(most)} AND c.is_public = 1 AND c.is_chat = @isChat ${isRangeApart ? "" : range} ${where}`;
    // The subquery is a coroutine: its order is kept, and it stops when the page is full.
    const page = selectFound(
      db,
      `SELECT c.id, c.value FROM (${segment} ${order} LIMIT @left) c
         ${text.join}
       WHERE 1 ${isRangeApart ? range : ""} ${text.where} LIMIT @need`,
      query,
      { left, need: query.limit - found.length },
    );
    found.push(...page);
    if (found.length >= query.limit) return found;
    if (most === UNBOUNDED) continue;
    left -= countRows(db, `${segment} LIMIT @left`, query, { left });
    if (left <= 0) return null;
  }
  return found;
}

interface Segment {
  where: string;
  order: string;
}

function segments({ column, after }: Query): Segment[] {
  const bySubscribers = column === "subscribers";
  const valued = {
    where: `AND c.${column} IS NOT NULL`,
    order: `ORDER BY c.${column} DESC, c.id`,
  };
  const valueless = { where: `AND c.${column} IS NULL`, order: "ORDER BY c.id" };
  if (after === null) return bySubscribers ? [valued] : [valued, valueless];
  if (after[0] === null) {
    return [{ ...valueless, where: `${valueless.where} AND c.id > @afterId` }];
  }
  const tied = {
    where: `AND c.${column} = @afterValue AND c.id > @afterId`,
    order: "ORDER BY c.id",
  };
  const below = { ...valued, where: `${valued.where} AND c.${column} < @afterValue` };
  return bySubscribers ? [tied, below] : [tied, below, valueless];
}
