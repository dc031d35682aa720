import { selectSourceCounts } from "../catalog/sources/sources.store.ts";
import type { Database } from "../db/database.ts";
import { readDatabaseSize } from "../db/database-facts.ts";
import { freeDiskBytes } from "../db/ready-checks.ts";
import type { Ports } from "../ports/ports.ts";
import { countMails } from "../push/mail/mails.store.ts";
import { selectBacklog } from "../push/webhooks/events/backlog.store.ts";
import type { Scheduler } from "../upkeep/jobs/scheduler.ts";
import type { DatabaseReadings, Readings } from "../upkeep/metrics/readings.ts";
import { dayOf } from "../values/moscow-time.ts";

/** The readings of a scrape of the metrics: all of it at hand, whatever the threads are busy with. */
export async function composeReadings(
  db: Database,
  threads: Readings["threads"],
  scheduler: Pick<Scheduler, "list">,
  lastBackup: () => Promise<{ madeAt: number } | null>,
  clusterLagMs: number | null,
  { system, clock, log }: Ports,
): Promise<Readings> {
  const readDatabase = async (): Promise<DatabaseReadings> => {
    const nowMs = clock.now();
    const { fileBytes, walBytes } = readDatabaseSize(db);
    const { oldestDueAt, ...backlog } = await selectBacklog(db, nowMs);
    return {
      fileBytes,
      walBytes,
      ...backlog,
      oldestDueMs: oldestDueAt === null ? null : nowMs - oldestDueAt,
      mailsWaiting: await countMails(db),
      jobs: await scheduler.list(),
      sources: await selectSourceCounts(db, dayOf(nowMs)),
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
    threads,
    diskFreeBytes: await freeDiskBytes(db, system),
    clusterLagMs,
    lastBackupAt: (await lastBackup())?.madeAt ?? null,
    eventLoopDelay: system.eventLoopDelay(),
    process: system.process(),
  };
}
