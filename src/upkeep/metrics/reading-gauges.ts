import { type Aggregator, Counter, Gauge, type Registry } from "prom-client";
import type { EventLoopDelay, ProcessFacts } from "../../ports/system.ts";

/** Readings taken at each scrape. Instants are in epoch milliseconds. */
export interface Readings {
  /** Null if the database does not respond. */
  database: DatabaseReadings | null;
  /** Threads by lane. */
  threads: Record<string, { threads: number; busy: number; waiting: number }>;
  diskFreeBytes: number | null;
  /** When the latest daily backup was completed; null if there is none. */
  lastBackupAt: number | null;
  /** Null on a standalone appliance. */
  clusterLagMs: number | null;
  eventLoopDelay: EventLoopDelay | null;
  process: ProcessFacts;
}

export interface DatabaseReadings {
  fileBytes: number;
  walBytes: number;
  deliveriesDue: number;
  /** Null if none is due. */
  oldestDueMs: number | null;
  postsWaiting: number;
  alertPostsWaiting: number;
  /** Null if none is waiting. */
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
  /** Null if nothing has arrived that would tell. */
  lagMs: number | null;
  isSilent: boolean;
}

/** A value; null if unknown at this scrape. */
type Value = number | null;

/** Gauges by name: help text, value, and how to combine those of several workers. */
type Gauges<Of> = Record<string, [help: string, read: (of: Of) => Value, aggregator?: Aggregator]>;

const OF_APPLIANCE: Gauges<Readings> = {
  kanalog_database_up: [
    "1 where the database answers.",
    ({ database }) => (database === null ? 0 : 1),
    "min",
  ],
  kanalog_disk_free_bytes: ["Free space on the database's volume.", (of) => of.diskFreeBytes],
  kanalog_backup_last_timestamp_seconds: [
    "When the last daily backup was finished; absent where there is none.",
    ({ lastBackupAt }) => seconds(lastBackupAt),
  ],
  kanalog_cluster_lag_seconds: [
    "How long ago this node's copy was known to be the newest; absent where it is no node.",
    ({ clusterLagMs }) => seconds(clusterLagMs),
    "min",
  ],
  process_resident_memory_bytes: ["Resident memory.", (of) => of.process.residentBytes, "sum"],
  process_start_time_seconds: [
    "The start, since the epoch.",
    ({ process }) => seconds(process.startedAt),
    "min",
  ],
};

const OF_DATABASE: Gauges<DatabaseReadings> = {
  kanalog_database_bytes: ["The database file.", (of) => of.fileBytes],
  kanalog_database_wal_bytes: ["The write-ahead log beside it.", (of) => of.walBytes],
  kanalog_webhook_deliveries_due: [
    "Webhook deliveries that are due or under way, counted up to 10000.",
    (of) => of.deliveriesDue,
  ],
  kanalog_webhook_oldest_due_seconds: [
    "How long the oldest webhook delivery that is due has been; 0 where none is.",
    (of) => seconds(of.oldestDueMs ?? 0),
  ],
  kanalog_webhook_posts_waiting: [
    "Posts in the outbox, not yet cut into events, counted up to 10000.",
    (of) => of.postsWaiting,
  ],
  kanalog_alert_posts_waiting: [
    "Posts not yet matched with alerts, counted up to 10000.",
    (of) => of.alertPostsWaiting,
  ],
  kanalog_alert_oldest_post_seconds: [
    "How long ago the oldest of them was read; 0 where none waits.",
    (of) => seconds(of.oldestAlertPostMs ?? 0),
  ],
  kanalog_mails_waiting: ["Mails that are still to be sent.", (of) => of.mailsWaiting],
};

const OF_JOB: Gauges<DatabaseReadings["jobs"][number]> = {
  kanalog_job_last_run_timestamp_seconds: ["The last run's start.", (of) => seconds(of.startedAt)],
  kanalog_job_last_run_failed: [
    "1 where the last run failed.",
    ({ startedAt, failure }) => (startedAt === null ? null : Number(failure !== null)),
  ],
};

const OF_SOURCE: Gauges<SourceReadings> = {
  kanalog_source_last_success_timestamp_seconds: [
    "The last run of a source that succeeded.",
    ({ succeededAt }) => seconds(succeededAt),
  ],
  kanalog_source_failures: [
    "Runs of a source that failed since its last success.",
    ({ failures }) => failures,
  ],
  kanalog_source_rows_today: ["Rows that a source gave on this Moscow day.", ({ rows }) => rows],
  kanalog_source_lag_seconds: [
    "From a post's publication, or a file's last change, until it was here, the last time one came.",
    ({ lagMs }) => seconds(lagMs),
  ],
  kanalog_source_silent: [
    "1 where a source had no success for three of its intervals.",
    ({ isSilent }) => Number(isSilent),
  ],
};

const OF_LANE: Gauges<Readings["threads"][string]> = {
  kanalog_threads: ["Database threads there may be.", ({ threads }) => threads, "sum"],
  kanalog_threads_busy: ["Database threads at work.", ({ busy }) => busy, "sum"],
  kanalog_threads_waiting: ["Tasks that wait for a thread.", ({ waiting }) => waiting, "sum"],
};

const OF_QUANTILE: Gauges<number> = {
  kanalog_event_loop_delay_seconds: [
    "How late the event loop was since the scrape before; 1 is the latest.",
    (delayMs) => seconds(delayMs),
  ],
};

/** @returns a function that puts a scrape's readings into the registry */
export function createReadingGauges(registry: Registry): (readings: Readings) => void {
  const setAppliance = gaugesOf(registry, OF_APPLIANCE, null);
  const setDatabase = gaugesOf(registry, OF_DATABASE, null);
  const setJobs = gaugesOf(registry, OF_JOB, "job");
  const setSources = gaugesOf(registry, OF_SOURCE, "source");
  const setLanes = gaugesOf(registry, OF_LANE, "lane");
  const setDelay = gaugesOf(registry, OF_QUANTILE, "quantile");
  const processor = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, user and system.",
    registers: [registry],
  });
  const waited = new Counter({
    name: "kanalog_processor_wait_seconds_total",
    help: "Time that main threads waited for a processor.",
    registers: [registry],
  });
  return (readings) => {
    const { database, threads, eventLoopDelay: delay, process } = readings;
    setAppliance([["", readings]]);
    setDatabase(database === null ? [] : [["", database]]);
    setJobs((database?.jobs ?? []).map((job) => [job.name, job]));
    setSources((database?.sources ?? []).map((source) => [source.name, source]));
    setLanes(Object.entries(threads));
    setDelay(
      delay === null
        ? []
        : [
            ["0.5", delay.medianMs],
            ["0.99", delay.p99Ms],
            ["1", delay.maxMs],
          ],
    );
    processor.reset();
    processor.inc(process.processorSeconds);
    waited.reset();
    waited.inc(process.waitedSeconds ?? 0);
  };
}

/**
 * Creates gauges. @returns a function that sets them, by label value if they have a label; unknown values
 * are left out, since neither the previous value nor 0 would be true
 */
function gaugesOf<Of>(
  registry: Registry,
  gauges: Gauges<Of>,
  label: string | null,
): (all: readonly [label: string, of: Of][]) => void {
  const made = Object.entries(gauges).map(([name, [help, read, aggregator = "max"]]) => {
    const labelNames = label === null ? [] : [label];
    const registers = [registry];
    return { gauge: new Gauge<string>({ name, help, labelNames, registers, aggregator }), read };
  });
  return (all) => {
    for (const { gauge, read } of made) {
      if (label === null) gauge.remove();
      else gauge.reset();
      for (const [text, of] of all) {
        const value = read(of);
        if (value !== null) gauge.set(label === null ? {} : { [label]: text }, value);
      }
    }
  };
}

function seconds(ms: Value): Value {
  return ms === null ? null : ms / 1000;
}
