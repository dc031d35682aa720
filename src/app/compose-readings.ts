import { isSilent } from "../catalog/sources/source-schedule.ts";
import { selectSourceCounts } from "../catalog/sources/sources.store.ts";
import { readDatabaseSize } from "../db/database-facts.ts";
import { freeDiskBytes } from "../db/ready-checks.ts";
import { countMails } from "../push/mail/mails.store.ts";
import { selectBacklog } from "../push/webhooks/events/backlog.store.ts";
import type { DatabaseReadings, Readings } from "../upkeep/metrics/readings.ts";
import { dayOf } from "../values/moscow-time.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

/** The readings of a scrape of the metrics: all of it at hand, whatever the threads are busy with. */
export async function composeReadings(
  { db, database: { threadLoads }, cluster, ports }: Base,
  { scheduler, newestBackup }: Pick<Work, "scheduler" | "newestBackup">,
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
      sources: (await selectSourceCounts(db, dayOf(nowMs))).map((source) => ({
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
    lastBackupAt: (await newestBackup())?.madeAt ?? null,
    eventLoopDelay: system.eventLoopDelay(),
    process: system.process(),
  };
}
