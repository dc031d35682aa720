import { Counter, Gauge, type Registry } from "prom-client";
import type { EventLoopDelay, ProcessFacts } from "../../ports/system.ts";

/** Readings taken at each scrape. Instants in epoch milliseconds. */
export interface Readings {
  /** Null where the database does not answer. */
  database: DatabaseReadings | null;
  /** Threads by the name of their pool. */
  threads: Record<string, { threads: number; busy: number; waiting: number }>;
  diskFreeBytes: number | null;
  /** When the last daily backup was finished; null where none lies there. */
  lastBackupAt: number | null;
  /** Null where the appliance is no node of a cluster. */
  clusterLagMs: number | null;
  eventLoopDelay: EventLoopDelay | null;
  process: ProcessFacts;
}

export interface DatabaseReadings {
  fileBytes: number;
  walBytes: number;
  deliveriesDue: number;
  /** Null where none is due. */
  oldestDueMs: number | null;
  postsWaiting: number;
  alertPostsWaiting: number;
  /** Null where none waits. */
  oldestAlertPostMs: number | null;
  mailsWaiting: number;
  jobs: { name: string; startedAt: number | null; failure: string | null }[];
  sources: SourceReadings[];
}

export interface SourceReadings {
  name: string;
  succeededAt: number | null;
  failures: number;
  rows: number;
  /** Null where nothing came that tells it. */
  lagMs: number | null;
  isSilent: boolean;
}

/** @returns what puts the readings of a scrape into the registry */
export function createReadingGauges(registry: Registry): (readings: Readings) => void {
  const registers = [registry];
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    /** How the values of several workers become one. */
    aggregator: "max" | "min" | "sum" = "max",
  ): Gauge<Label> => new Gauge({ name, help, labelNames, registers, aggregator });

  const up = gauge("kanalog_database_up", "1 where the database answers.", [], "min");
  const fileBytes = gauge("kanalog_database_bytes", "The database file.");
  const walBytes = gauge("kanalog_database_wal_bytes", "The write-ahead log beside it.");
  const diskFree = gauge("kanalog_disk_free_bytes", "Free space on the database's volume.");
  const lastBackup = gauge(
    "kanalog_backup_last_timestamp_seconds",
    "When the last daily backup was finished; absent where there is none.",
  );
  const clusterLag = gauge(
    "kanalog_cluster_lag_seconds",
    "How long ago this node's copy was known to be the newest; absent where it is no node.",
    [],
    "min",
  );
  const due = gauge(
    "kanalog_webhook_deliveries_due",
    "Webhook deliveries that are due or under way, counted up to 10000.",
  );
  const oldestDue = gauge(
    "kanalog_webhook_oldest_due_seconds",
    "How long the oldest webhook delivery that is due has been; 0 where none is.",
  );
  const posts = gauge(
    "kanalog_webhook_posts_waiting",
    "Posts in the outbox, not yet cut into events, counted up to 10000.",
  );
  const alertPosts = gauge(
    "kanalog_alert_posts_waiting",
    "Posts not yet matched with alerts, counted up to 10000.",
  );
  const oldestAlertPost = gauge(
    "kanalog_alert_oldest_post_seconds",
    "How long ago the oldest of them was read; 0 where none waits.",
  );
  const mails = gauge("kanalog_mails_waiting", "Mails that are still to be sent.");
  const jobStarted = gauge("kanalog_job_last_run_timestamp_seconds", "The last run's start.", [
    "job",
  ]);
  const jobFailed = gauge("kanalog_job_last_run_failed", "1 where the last run failed.", ["job"]);
  const sourceSucceeded = gauge(
    "kanalog_source_last_success_timestamp_seconds",
    "The last run of a source that succeeded.",
    ["source"],
  );
  const sourceFailures = gauge(
    "kanalog_source_failures",
    "Runs of a source that failed since its last success.",
    ["source"],
  );
  const sourceRows = gauge(
    "kanalog_source_rows_today",
    "Rows that a source gave on this Moscow day.",
    ["source"],
  );
  const sourceLag = gauge(
    "kanalog_source_lag_seconds",
    "From a post's publication, or a file's last change, until it was here, the last time one came.",
    ["source"],
  );
  const sourceSilent = gauge(
    "kanalog_source_silent",
    "1 where a source had no success for three of its intervals.",
    ["source"],
  );
  const threads = gauge("kanalog_threads", "Database threads there may be.", ["pool"], "sum");
  const busy = gauge("kanalog_threads_busy", "Database threads at work.", ["pool"], "sum");
  const waiting = gauge(
    "kanalog_threads_waiting",
    "Tasks that wait for a thread.",
    ["pool"],
    "sum",
  );
  const delay = gauge(
    "kanalog_event_loop_delay_seconds",
    "How late the event loop was since the scrape before; 1 is the latest.",
    ["quantile"],
  );
  const processor = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, user and system.",
    registers,
  });
  const resident = gauge("process_resident_memory_bytes", "Resident memory.", [], "sum");
  const started = gauge("process_start_time_seconds", "The start, since the epoch.", [], "min");

  /** Values that are not known at a scrape are left out of it: neither an old value nor a 0 stands for them. */
  function clear(): void {
    const ofDatabase = [
      fileBytes,
      walBytes,
      due,
      oldestDue,
      posts,
      alertPosts,
      oldestAlertPost,
      mails,
    ];
    for (const one of [...ofDatabase, diskFree, lastBackup]) one.remove();
    const bySource = [sourceSucceeded, sourceFailures, sourceRows];
    for (const one of [jobStarted, jobFailed, delay, ...bySource]) one.reset();
  }

  function setDatabase(database: DatabaseReadings): void {
    fileBytes.set(database.fileBytes);
    walBytes.set(database.walBytes);
    due.set(database.deliveriesDue);
    oldestDue.set((database.oldestDueMs ?? 0) / 1000);
    posts.set(database.postsWaiting);
    alertPosts.set(database.alertPostsWaiting);
    oldestAlertPost.set((database.oldestAlertPostMs ?? 0) / 1000);
    mails.set(database.mailsWaiting);
    for (const { name, startedAt, failure } of database.jobs) {
      if (startedAt === null) continue;
      jobStarted.set({ job: name }, startedAt / 1000);
      jobFailed.set({ job: name }, failure === null ? 0 : 1);
    }
    for (const { name: source, succeededAt, failures, rows, ...one } of database.sources) {
      if (succeededAt !== null) sourceSucceeded.set({ source }, succeededAt / 1000);
      sourceFailures.set({ source }, failures);
      sourceRows.set({ source }, rows);
      sourceSilent.set({ source }, one.isSilent ? 1 : 0);
      if (one.lagMs !== null) sourceLag.set({ source }, one.lagMs / 1000);
    }
  }

  return (readings) => {
    clear();
    up.set(readings.database === null ? 0 : 1);
    if (readings.database !== null) setDatabase(readings.database);
    if (readings.diskFreeBytes !== null) diskFree.set(readings.diskFreeBytes);
    if (readings.clusterLagMs !== null) clusterLag.set(readings.clusterLagMs / 1000);
    if (readings.lastBackupAt !== null) lastBackup.set(readings.lastBackupAt / 1000);
    for (const [pool, load] of Object.entries(readings.threads)) {
      threads.set({ pool }, load.threads);
      busy.set({ pool }, load.busy);
      waiting.set({ pool }, load.waiting);
    }
    if (readings.eventLoopDelay !== null) {
      const { medianMs, p99Ms, maxMs } = readings.eventLoopDelay;
      delay.set({ quantile: "0.5" }, medianMs / 1000);
      delay.set({ quantile: "0.99" }, p99Ms / 1000);
      delay.set({ quantile: "1" }, maxMs / 1000);
    }
    processor.reset();
    processor.inc(readings.process.processorSeconds);
    resident.set(readings.process.residentBytes);
    started.set(readings.process.startedAt / 1000);
  };
}
