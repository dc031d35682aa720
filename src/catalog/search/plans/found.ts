import { type Database, statement } from "../../../db/database.ts";
import type { Query } from "../query.ts";

export interface Found {
  id: number;
  value: number | null;
}

export function selectFound(
  db: Database,
  sql: string,
  query: Query,
  more: Record<string, string | number> = {},
): Found[] {
  return statement<Found>(db, sql).all({ ...query.values, limit: query.limit, ...more });
}

export function countRows(
  db: Database,
  sql: string,
  query: Query,
  more: Record<string, string | number>,
): number {
  const counting = statement<{ n: number }>(db, `SELECT count(*) AS n FROM (${sql})`);
  return counting.get({ ...query.values, ...more })?.n ?? 0;
}
