import { clusterOf, copiedVersion } from "../../db/cluster/link.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";

/** From one look to the next. */
const LOOK_MS = 200;
/** A node that was not seen for so long is not waited for. */
const SILENT_S = 30;

const BEHIND = `
  SELECT 1 FROM kanalog.nodes
  WHERE version < $1 AND seen_at > now() - make_interval(secs => ${SILENT_S}) LIMIT 1`;

/** Settles once all nodes that run have what this one has; at once where it is none. */
export async function allHaveCopied(db: Database, clock: Clock): Promise<void> {
  const cluster = clusterOf(db);
  if (cluster === null) return;
  const values = [copiedVersion(db)];
  while ((await cluster.authority.query({ text: BEHIND, values })).length > 0) {
    await clock.sleep(LOOK_MS);
  }
}
