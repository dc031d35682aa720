import { clusterOf, copiedVersion } from "../../db/cluster/link.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";

/** From one look to the next. */
const LOOK_MS = 200;
/** A node that was not seen for so long is not waited for. */
const SILENT_S = 30;

const BEHIND = `
  SELECT name, seen_at > now() - make_interval(secs => ${SILENT_S}) AS runs
  FROM kanalog.nodes WHERE version < $1 ORDER BY name`;

/**
 * Settles once all nodes that run have what this one has; at once where it is none.
 * @returns the nodes that were not waited for, since they are silent: they copy when they run again
 */
export async function allHaveCopied(db: Database, clock: Clock): Promise<string[]> {
  const cluster = clusterOf(db);
  if (cluster === null) return [];
  const values = [copiedVersion(db)];
  for (;;) {
    const behind = await cluster.authority.query<{ name: string; runs: boolean }>({
      text: BEHIND,
      values,
    });
    if (!behind.some(({ runs }) => runs)) return behind.map(({ name }) => name);
    await clock.sleep(LOOK_MS);
  }
}
