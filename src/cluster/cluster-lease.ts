import type { Ports } from "../ports/ports.ts";
import { createLease, SILENT_MS, type UpkeepLease } from "../upkeep/lease/lease.ts";
import { openConnection } from "./connection.ts";

/** Minimum interval between log lines about an unreachable PostgreSQL, which is tried every second. */
const LOG_AGAIN_AFTER_MS = 60_000;

/** Silence is measured by PostgreSQL's clock. */
const BEAT = `
  INSERT INTO kanalog.leases AS l (name, owner, beat_at) VALUES ('upkeep', $1, now())
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, beat_at = excluded.beat_at
  WHERE l.owner IS NULL OR l.owner = excluded.owner
    OR l.beat_at < now() - make_interval(secs => ${SILENT_MS / 1000})
  RETURNING 1`;

const LEAVE = "UPDATE kanalog.leases SET owner = NULL WHERE name = 'upkeep' AND owner = $1";

/**
 * Lease for work that one process does for all nodes. It only decides who works; that nothing is done twice
 * is guaranteed by the turn of each change.
 * @param node the lease among this node's workers: only its holder asks for this one
 */
export function createClusterLease(
  node: UpkeepLease,
  { url, owner }: { url: string; owner: string },
  { clock, log }: Pick<Ports, "clock" | "log">,
): UpkeepLease {
  const connection = openConnection(url, `${owner} lease`);
  let loggedMs = Number.NEGATIVE_INFINITY;

  const record = {
    async beat() {
      if (!node.isOwn()) return null;
      const rows = await connection.use((session) =>
        session.query({ name: "beat", text: BEAT, values: [owner] }),
      );
      loggedMs = Number.NEGATIVE_INFINITY;
      return rows.length > 0;
    },
    release: () => connection.use((session) => session.query({ text: LEAVE, values: [owner] })),
    noteFailure(error: unknown) {
      const nowMs = clock.monotonic();
      if (nowMs - loggedMs < LOG_AGAIN_AFTER_MS) return;
      loggedMs = nowMs;
      log.warn({ err: error }, "the cluster's upkeep lease could not be acquired or renewed");
    },
    takenText: "this node does the cluster's upkeep",
    lostText: "another node has taken over the upkeep",
  };
  const lease = createLease(record, { clock, log });
  return {
    isOwn: () => node.isOwn() && lease.isOwn(),
    tick: lease.tick,
    async leave() {
      await lease.leave();
      await connection.close();
    },
  };
}
