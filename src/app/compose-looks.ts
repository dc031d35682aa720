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
  base: Base,
  work: Work,
): { readings(): Promise<Readings>; lookOwn(): Promise<Looks> } {
  const { config, ports, db, database, cluster } = base;
  const now = () => ports.clock.now();
  return {
    readings: () => composeReadings(base, work),
    lookOwn: () =>
      lookReady(
        { ...databaseChecks(db, ports.system), usage: work.commitCheck, ...cluster.checks },
        {
          backup: () => backupWarning(work.scheduler),
          sources: () => silentWarning(db, now()),
          write_lock: database.lockWarning,
          read_posts: () => stalledWarning(db, now(), config.webhookBatchMs),
          alert_posts: () => stalledAlertsWarning(db, now(), config.webhookBatchMs),
        },
      ),
  };
}
