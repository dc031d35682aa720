import type { Database } from "../db/database.ts";
import type { Clock } from "../ports/clock.ts";
import { clusterOf, copiedVersion } from "./link.ts";

const POLL_MS = 200;
/** A node silent for this long is not waited for. */
const SILENT_S = 30;

const BEHIND = `
  SELECT name, seen_at > now() - make_interval(secs => ${SILENT_S}) AS runs
  FROM kanalog.nodes WHERE version < $1 ORDER BY name`;

/**
 * Settles once all running nodes have what this one has; immediately on a standalone appliance.
 * @returns nodes that were not waited for because they are silent: they catch up when they run again
 */
export async function waitForCopies(db: Database, clock: Clock): Promise<string[]> {
  const cluster = clusterOf(db);
  if (cluster === null) return [];
  const values = [copiedVersion(db)];
  for (;;) {
    const behind = await cluster.authority.query<{ name: string; runs: boolean }>({
      text: BEHIND,
      values,
    });
    if (!behind.some(({ runs }) => runs)) return behind.map(({ name }) => name);
    await clock.sleep(POLL_MS);
  }
}
