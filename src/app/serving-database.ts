import type { Config } from "../config.ts";
import { checkpointWhole, leavesCheckpoints } from "../db/checkpoint.ts";
import { onLockHeld } from "../db/lock-holds.ts";
import { createLockWatch } from "../db/lock-watch.ts";
import { requireWritable } from "../db/open-database.ts";
import { createQueueWatch } from "../db/queue-watch.ts";
import { createTickSnapshots, withoutTickSnapshots } from "../db/read-transaction.ts";
import { createSlowLog } from "../db/slow-log.ts";
import type { Ports } from "../ports/ports.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import { databaseThreads, servingConnection } from "./database-threads.ts";
import { type openCurrent, openDomains } from "./domains.ts";
import type { InstallationSecret } from "./installation-secret.ts";
import { nodeSettings, requireOwnName } from "./node-copy.ts";

/**
 * Opens the connections and threads of a serving process. All of them report lock hold times and slow
 * statements.
 * @param open as in `openDomains`
 * @param workers processes serving the file
 */
export async function openServingDatabase(
  config: Config,
  ports: Ports,
  secret: InstallationSecret,
  counted: Metrics["counted"],
  open: typeof openCurrent,
  workers: number,
) {
  const { clock, log } = ports;
  requireWritable(config.databasePath);
  const domains = await openDomains(config, ports, secret, open);
  try {
    await requireOwnName(domains.db, nodeSettings(config));
  } catch (error) {
    domains.db.close();
    throw error;
  }
  const db = servingConnection(config, clock, domains.db);
  const isShared = db === domains.db;
  if (!isShared) leavesCheckpoints(domains.db);
  const lockWatch = createLockWatch(ports, counted.lockHolds);
  const noteSlow = createSlowLog(ports);
  for (const connection of new Set([db, domains.db])) {
    onLockHeld(connection, lockWatch.note);
    connection.onSlow((sql, tookMs) => noteSlow("main", sql, tookMs));
  }
  const queueWatch = createQueueWatch(clock, counted.refusals);
  const listeners = { noteHold: lockWatch.note, noteSlow, noteRefused: queueWatch.note };
  const started = databaseThreads(config, clock, db, listeners, workers);
  return {
    domains,
    db,
    threads: started.threads,
    threadLoads: started.threadLoads,
    restThreads: started.restThreads,
    lockWarning: lockWatch.warning,
    queues: queueWatch,
    tickSnapshot: isShared ? withoutTickSnapshots : createTickSnapshots(db, clock),

    async close(): Promise<void> {
      await started.endThreads();
      if (!isShared) db.close();
      try {
        checkpointWhole(domains.db);
      } catch (error) {
        log.warn({ err: error }, "the last checkpoint of the write-ahead log failed");
      }
      domains.db.close();
    },
  };
}
