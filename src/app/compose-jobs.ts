import { hasFollowed } from "../catalog/imports/writing/import-count.ts";
import type { Config } from "../config.ts";
import { backupPlace, findLastBackup } from "../upkeep/backups/backup-files.ts";
import type { BackupPlan } from "../upkeep/backups/daily-backup.ts";
import { selectJobRuns } from "../upkeep/jobs/jobs.store.ts";
import { scheduledJobs } from "../upkeep/jobs/jobs.ts";
import { createScheduler } from "../upkeep/jobs/scheduler.ts";
import type { Base } from "./compose-base.ts";
import { nodeSettings } from "./node-copy.ts";

/** The scheduler's jobs, and the backups that one of them writes. */
export function composeJobs({
  config,
  ports,
  db,
  threads,
  metrics,
  lease,
  cluster,
  clockWatch,
}: Base) {
  const backups = backupPlan(config);
  const node = nodeSettings(config)?.node;
  const settings = {
    ...{ backups, openDays: config.statisticsOpenDays },
    isNode: node !== undefined,
  };
  const jobs = scheduledJobs(settings).map(({ name, pattern, isOfNode, followsImports }) => ({
    // Jobs that run on every node of a cluster have one due time per node.
    name: isOfNode && node !== undefined ? `${name}@${node}` : name,
    pattern,
    followsImports,
    // By a wrong clock a job would close or remove days that are not over.
    isOwn: () => clockWatch.look() === null && (isOfNode ? lease : cluster.upkeep).isOwn(),
    run: (dueAt: number) => threads.bulk.runJob({ name, dueAt, settings }),
  }));
  const ledger = {
    claim: threads.bulk.claimJob,
    claimNow: threads.bulk.claimJobNow,
    claimAfterImport: threads.bulk.claimJobAfterImport,
    hasFollowed: (name: string) => hasFollowed(db, name),
    runs: () => selectJobRuns(db),
    end: threads.bulk.endJob,
  };
  return {
    scheduler: createScheduler(metrics.counted.jobs(jobs), ledger, ports.clock, ports.log),
    lastBackup: async () => backups && (await findLastBackup(backups.place, ports.clock.now())),
  };
}

/** Where and how daily backups are written; null if no backup folder is configured. */
function backupPlan({ backupDir, backupsKept, databasePath }: Config): BackupPlan | null {
  return backupDir === null
    ? null
    : { place: backupPlace(backupDir, databasePath), kept: backupsKept };
}
