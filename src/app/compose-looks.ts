import { databaseChecks } from "../db/ready-checks.ts";
import { type Looks, lookReady } from "../doors/http/readiness.ts";
import { stalledAlertsWarning, stalledWarning } from "../push/webhooks/events/stalled-warning.ts";
import { backupWarning } from "../upkeep/jobs/backup-warning.ts";
import type { Readings } from "../upkeep/metrics/readings.ts";
import { silentWarning } from "../upkeep/sources/silent-sources.ts";
import type { Base } from "./compose-base.ts";
import { composeReadings } from "./compose-readings.ts";
import type { Work } from "./compose-work.ts";

/** Looks of this process: for the metrics, and for readiness. */
export function composeLooks(
  { config, ports, db, database, cluster }: Base,
  { scheduler, newestBackup, commitCheck }: Work,
): { readings(): Promise<Readings>; lookOwn(): Promise<Looks> } {
  const now = () => ports.clock.now();
  return {
    readings: () =>
      composeReadings(
        ...[db, database.threadLoads(), scheduler, newestBackup, cluster.lagMs?.() ?? null, ports],
      ),
    lookOwn: () =>
      lookReady(
        { ...databaseChecks(db, ports.system), usage: commitCheck, ...cluster.checks },
        {
          backup: () => backupWarning(scheduler),
          sources: () => silentWarning(db, now()),
          write_lock: database.lockWarning,
          read_posts: () => stalledWarning(db, now(), config.webhookBatchMs),
          alert_posts: () => stalledAlertsWarning(db, now(), config.webhookBatchMs),
        },
      ),
  };
}
