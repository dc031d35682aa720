import { USAGE_DAYS_KEPT } from "../customers/limits/usage-removal.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../ports/clock.ts";
import { dayOf } from "../values/moscow-time.ts";
import { requireCluster } from "./link.ts";

/** A node absent for longer must rebuild its copy. */
const ABSENT_DAYS_MAX = 7;

/** One statement, and so one snapshot: no deletion is forgotten that the copy of a node may still need. */
const FORGET = `
  WITH oldest AS (
    SELECT min(version) AS version FROM kanalog.nodes
    WHERE seen_at > now() - interval '${ABSENT_DAYS_MAX} days'
  ), forgotten AS (
    DELETE FROM kanalog.rows WHERE row IS NULL AND version <= (SELECT version FROM oldest)
  ), passed AS (
    DELETE FROM kanalog.commits WHERE version < (SELECT version FROM oldest)
  ), absent AS (
    DELETE FROM kanalog.nodes WHERE seen_at <= now() - interval '${ABSENT_DAYS_MAX} days'
  )
  UPDATE kanalog.state SET forgotten_until = greatest(forgotten_until, oldest.version) FROM oldest
  WHERE oldest.version IS NOT NULL`;

/**
 * Deletes PostgreSQL's records of deleted rows and of commits that all nodes have copied, and its days of
 * usage that are no longer kept.
 */
export async function forgetRemoved(db: Database, clock: Clock): Promise<void> {
  const { query } = requireCluster(db).authority;
  await query(FORGET);
  const text = "DELETE FROM kanalog.usage_days WHERE day <= $1";
  await query({ text, values: [dayOf(clock.now()) - USAGE_DAYS_KEPT] });
}
