import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Ports } from "../ports/ports.ts";
import { type BackupFile, backupPlace, lastBackup } from "../upkeep/backups/backup-files.ts";
import type { BackupPlan } from "../upkeep/backups/daily-backup.ts";
import { selectJobRuns } from "../upkeep/jobs/jobs.store.ts";
import { nightlyJobs } from "../upkeep/jobs/jobs.ts";
import { createScheduler, type JobLedger, type Scheduler } from "../upkeep/jobs/scheduler.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import type { DatabaseThreads } from "./database-threads.ts";
import { nodeSettings } from "./node-copy.ts";

/**
 * Work that is done by the clock, and the backups that one of the jobs writes.
 * @param isOwn whether this process does what is due
 * @param isOwnOfNode whether it does what each node of a cluster does by itself
 */
export function composeJobs(
  db: Database,
  threads: DatabaseThreads,
  config: Config,
  { clock, log }: Ports,
  counted: Metrics["counted"],
  { isOwn, isOwnOfNode }: { isOwn: () => boolean; isOwnOfNode: () => boolean },
): { scheduler: Scheduler; newestBackup(): Promise<BackupFile | null> } {
  const backups = backupPlan(config);
  const settings = { backups, openDays: config.statisticsOpenDays };
  const node = nodeSettings(config)?.node;
  const jobs = nightlyJobs(settings).map(({ name, pattern, isOfNode }) => ({
    // Each node of a cluster has a due time of its own to claim.
    name: isOfNode && node !== undefined ? `${name}@${node}` : name,
    pattern,
    isOwn: isOfNode ? isOwnOfNode : isOwn,
    run: (dueAt: number) => threads.jobs.runJob({ name, dueAt, settings }),
  }));
  const ledger: JobLedger = {
    claim: threads.jobs.claimJob,
    // Not on the jobs' thread, where whoever asks would wait for the job under way.
    claimNow: threads.writer.claimJobNow,
    runs: () => selectJobRuns(db),
    end: threads.jobs.endJob,
  };
  return {
    scheduler: createScheduler(counted.jobs(jobs), ledger, clock, log),
    newestBackup: async () => backups && (await lastBackup(backups.place)),
  };
}

/** Null where no folder for daily backups is set. */
function backupPlan({ backupDir, backupsKept, databasePath }: Config): BackupPlan | null {
  return backupDir === null
    ? null
    : { place: backupPlace(backupDir, databasePath), kept: backupsKept };
}
