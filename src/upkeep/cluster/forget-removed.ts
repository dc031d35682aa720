import { clusterOf } from "../../db/cluster/link.ts";
import type { Database } from "../../db/database.ts";

/** A node that was not seen for so long has to make its copy anew. */
const ABSENT_DAYS_MAX = 7;

/** One statement, so that no row is forgotten that a copy in use lacks. */
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

/** Removes PostgreSQL's marks of removed rows and of commits that all nodes have copied. */
export async function forgetRemoved(db: Database): Promise<void> {
  await clusterOf(db)?.authority.query(FORGET);
}
