import { isSilent } from "../../catalog/sources/source-schedule.ts";
import { selectSourceCounts } from "../../catalog/sources/sources.store.ts";
import { databaseChecks, freeDiskBytes, readDatabaseSize } from "../../db/file/database-facts.ts";
import type { Lateness } from "../../ports/system.ts";
import { countMails } from "../../push/mail/mails.store.ts";
import { selectBacklog } from "../../push/webhooks/events/backlog.store.ts";
import { stalledWarning } from "../../push/webhooks/events/heartbeat.ts";
import { checkReadiness, type Readiness } from "../../upkeep/checks/readiness.ts";
import { backupWarning } from "../../upkeep/jobs/job-run.ts";
import { silentWarning } from "../../upkeep/jobs/jobs.ts";
import type { DatabaseReadings, Readings } from "../../upkeep/metrics/reading-gauges.ts";
import { dayOf, formatInstant } from "../../values/moscow-time.ts";
import type { Crew } from "../workers/crew.ts";
import type { Base } from "./base.ts";
import type { Work } from "./work.ts";

export function composeReadings(
  base: Base,
  work: Work,
): { readings(): Promise<Readings>; ownReadiness(): Promise<Readiness> } {
  const { config, ports, db, database, cluster, clockWatch } = base;
  const now = () => ports.clock.now();
  return {
    readings: () => readAll(base, work),
    ownReadiness: () =>
      checkReadiness(
        {
          ...databaseChecks(db, ports.system),
          usage: work.commitCheck,
          clock: clockWatch.look,
          queues: database.queues.fault,
          ...cluster.checks,
        },
        {
          backup: () => backupWarning(work.scheduler),
          sources: () => silentWarning(db, now()),
          write_lock: database.lockWarning,
          main_thread: () => latenessWarning(ports.system.mainThreadLateness(), base.crew),
          budgets: database.queues.warning,
          read_posts: () => stalledWarning(db, "read_posts", now(), config.webhookBatchMs),
          alert_posts: () => stalledWarning(db, "alert_posts", now(), config.webhookBatchMs),
        },
      ),
  };
}

/** Lateness of the main thread that is reported: everybody who asks waits as long. */
const LATE_MAX_MS = 250;

function latenessWarning(latest: Lateness | null, crew: Crew | null): string | null {
  if (latest === null || latest.lateMs <= LATE_MAX_MS) return null;
  const { lateMs, waitedMs, at } = latest;
  const whose = crew === null ? "" : ` of worker ${crew.number}`;
  const waited =
    waitedMs === null ? "" : `, ${Math.round(waitedMs)} ms of it for want of a processor`;
  return `The main thread${whose} was late by ${Math.round(lateMs)} ms at ${formatInstant(at)}${waited}.`;
}

/** Reads all gauges for one scrape. None of them needs a thread, so busy ones cannot delay it. */
async function readAll(
  { db, database: { threadLoads }, cluster, ports }: Base,
  { scheduler, lastBackup }: Pick<Work, "scheduler" | "lastBackup">,
): Promise<Readings> {
  const { system, clock, log } = ports;
  const readDatabase = async (): Promise<DatabaseReadings> => {
    const nowMs = clock.now();
    const { fileBytes, walBytes } = readDatabaseSize(db);
    const { oldestDueAt, oldestAlertPostAt, ...backlog } = await selectBacklog(db, nowMs);
    return {
      fileBytes,
      walBytes,
      ...backlog,
      oldestDueMs: oldestDueAt === null ? null : nowMs - oldestDueAt,
      oldestAlertPostMs: oldestAlertPostAt === null ? null : nowMs - oldestAlertPostAt,
      mailsWaiting: await countMails(db),
      jobs: await scheduler.list(),
      sources: (await selectSourceCounts(db, { day: dayOf(nowMs) })).map((source) => ({
        ...source,
        lagMs: source.position.lagMs ?? null,
        isSilent: isSilent(source, nowMs),
      })),
    };
  };
  let database: DatabaseReadings | null = null;
  try {
    database = await readDatabase();
  } catch (error) {
    log.warn({ err: error }, "the database could not be read for the metrics");
  }
  return {
    database,
    threads: threadLoads(),
    diskFreeBytes: await freeDiskBytes(db, system),
    clusterLagMs: cluster.lagMs?.() ?? null,
    lastBackupAt: (await lastBackup())?.madeAt ?? null,
    eventLoopDelay: system.eventLoopDelay(),
    process: system.process(),
  };
}
