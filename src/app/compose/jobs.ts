import { createDownloads } from "../../catalog/exports/bulk.ts";
import type { ExportWish } from "../../catalog/exports/export-selection.ts";
import type { PushedRows } from "../../catalog/imports/writing/push-rows.ts";
import type { Config } from "../../config.ts";
import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import type { Ports } from "../../ports/ports.ts";
import { type BackupPlan, backupPlace, findBackups } from "../../upkeep/backups/backup-files.ts";
import type { Job, JobClaims } from "../../upkeep/jobs/job-run.ts";
import { type runJob, scheduledJobs } from "../../upkeep/jobs/jobs.ts";
import { createScheduler, type Scheduler } from "../../upkeep/jobs/scheduler.ts";
import type { DatabaseThreads } from "../database-threads.ts";
import { nodeSettings } from "../node-copy.ts";

interface JobParts {
  db: Database;
  bulk: JobClaims & Calls<{ runJob: typeof runJob }>;
  /** Whether this process runs the jobs of a node, or those of all, when they are due. */
  isOwn(isOfNode: boolean): boolean;
  counted?(jobs: readonly Job[]): readonly Job[];
}

/** The scheduler with all jobs, for a serving process or a command. */
export function composeJobs(
  config: Config,
  ports: Ports,
  { db, bulk, isOwn, counted = (jobs) => jobs }: JobParts,
): Scheduler {
  const node = nodeSettings(config)?.node;
  const settings = {
    backups: backupPlan(config),
    openDays: config.statisticsOpenDays,
    keptMonths: { posts: config.keepPosts, statistics: config.keepStatistics },
    isNode: node !== undefined,
  };
  const jobs = scheduledJobs(settings).map(({ name, pattern, isOfNode, followsImports }) => ({
    // Jobs that run on every node of a cluster have one due time per node.
    name: isOfNode && node !== undefined ? `${name}@${node}` : name,
    pattern,
    followsImports,
    isOwn: () => isOwn(isOfNode === true),
    run: (dueAt: number) => bulk.runJob({ name, dueAt, settings }),
  }));
  return createScheduler(db, counted(jobs), bulk, ports);
}

/** Exports, pushed rows and the list of backups, for a serving process or a command. */
export function composeRows(
  config: Config,
  ports: Ports,
  { bulk, write }: Pick<DatabaseThreads, "bulk" | "write">,
) {
  const { messengerHosts, statisticsOpenDays: openDays } = config;
  const downloads = createDownloads({ ...bulk, noteExport: write.noteExport }, ports);
  return {
    dailyBackups: () => dailyBackups(config, ports),
    openExport: (wish: Omit<ExportWish, "hosts" | "openDays">, by: Actor) =>
      downloads.open({ ...wish, hosts: messengerHosts, openDays }, by),
    pushRows: (pushed: Omit<PushedRows, "messengerHosts" | "openDays">) =>
      bulk.pushRows({ ...pushed, messengerHosts, openDays }),
  };
}

/** The daily backups, latest first; none if no backup folder is configured. */
async function dailyBackups(config: Config, { clock }: Pick<Ports, "clock">) {
  const plan = backupPlan(config);
  return plan === null ? [] : findBackups(plan.place, clock.now());
}

/** Where and how daily backups are written; null if no backup folder is configured. */
export function backupPlan({ backupDir, backupsKept, databasePath }: Config): BackupPlan | null {
  return backupDir === null
    ? null
    : { place: backupPlace(backupDir, databasePath), kept: backupsKept };
}
