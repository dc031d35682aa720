import type { Database } from "../../db/database.ts";
import { foundRows } from "./found-rows.ts";

/**
 * SQL: each organization's units by period and by day, which are counted in one transaction. Rows by day
 * are removed after 400 days and periods are not, so the days may sum up to less only if some were removed.
 */
const UNITS = `
  SELECT organization_id AS id, sum(used) AS used,
    (SELECT coalesce(sum(units), 0) FROM usage_days d WHERE d.organization_id = p.organization_id)
      AS units
  FROM usage_periods p GROUP BY organization_id`;

/**
 * SQL: the instant since which no day was removed; an organization without an older period has all its
 * days. The last removed day is recorded; an earlier program did not record it, and its clock is assumed to
 * have been right.
 */
const KEPT_SINCE = `86400000 * max(
  coalesce((SELECT CAST(value AS INTEGER) + 1 FROM meta WHERE name = 'usage_removed_until'), 0),
  coalesce((SELECT max(day) - 390 FROM usage_days), 0))`;

export function usageFaults(db: Database): string[] {
  return foundRows(db, {
    "Organizations with more units by day than by period": `
       SELECT id AS name FROM (${UNITS}) WHERE units > used`,
    "Organizations with fewer units by day than by period": `SELECT id AS name
       FROM (${UNITS}) WHERE units < used AND NOT EXISTS (
         SELECT 1 FROM usage_periods WHERE organization_id = id AND started_at < ${KEPT_SINCE})`,
    "Organizations with units by day, but without a period": `SELECT DISTINCT organization_id AS name
       FROM usage_days d WHERE units > 0 AND NOT EXISTS (
         SELECT 1 FROM usage_periods WHERE organization_id = d.organization_id)`,
    "Organizations with negative counts": `SELECT organization_id AS name
       FROM usage_days WHERE requests < 1 OR units < 0
       UNION SELECT organization_id FROM usage_periods WHERE used < 0`,
  });
}
