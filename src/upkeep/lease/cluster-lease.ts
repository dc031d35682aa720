import { openConnection } from "../../db/cluster/connection.ts";
import type { Ports } from "../../ports/ports.ts";
import type { UpkeepLease } from "./lease.ts";

const HEARTBEAT_MS = 1_500;
/** Silence after which another node takes over: four heartbeats, by PostgreSQL's clock. */
const SILENT_S = 6;
/** Minimum interval between log lines about an unreachable PostgreSQL, which is tried every second. */
const LOG_AGAIN_AFTER_MS = 60_000;

const BEAT = `
  INSERT INTO kanalog.leases AS l (name, owner, beat_at) VALUES ('upkeep', $1, now())
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, beat_at = excluded.beat_at
  WHERE l.owner IS NULL OR l.owner = excluded.owner
    OR l.beat_at < now() - make_interval(secs => ${SILENT_S})
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
  let isTaken = false;
  let isLeaving = false;
  let underWay: Promise<void> = Promise.resolve();
  let beatMs = Number.NEGATIVE_INFINITY;
  let loggedMs = Number.NEGATIVE_INFINITY;

  async function beat(): Promise<void> {
    const nowMs = clock.monotonic();
    if (nowMs - beatMs < HEARTBEAT_MS) return;
    const rows = await connection.use((session) =>
      session.query({ name: "beat", text: BEAT, values: [owner] }),
    );
    if (!isTaken && rows.length > 0 && !isLeaving) {
      log.info({}, "this node does the cluster's upkeep");
    }
    if (isTaken && rows.length === 0) log.warn({}, "another node has taken over the upkeep");
    isTaken = rows.length > 0;
    beatMs = nowMs;
    loggedMs = Number.NEGATIVE_INFINITY;
  }

  function logFailure(error: unknown): void {
    const nowMs = clock.monotonic();
    if (nowMs - loggedMs < LOG_AGAIN_AFTER_MS) return;
    loggedMs = nowMs;
    log.warn({ err: error }, "the cluster's upkeep lease could not be acquired or renewed");
  }

  return {
    isOwn: () => isTaken && node.isOwn() && clock.monotonic() - beatMs < SILENT_S * 1000,

    async tick() {
      if (isLeaving || !node.isOwn()) return;
      underWay = beat().catch(logFailure);
      await underWay;
    },

    async leave() {
      isLeaving = true;
      // A heartbeat in progress may be about to take the lease.
      await underWay;
      if (isTaken) {
        isTaken = false;
        const leave = { text: LEAVE, values: [owner] };
        await connection.use((session) => session.query(leave)).catch(() => {});
      }
      await connection.close();
    },
  };
}
