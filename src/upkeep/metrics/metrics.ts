import type { MetricObjectWithValues, MetricValue } from "prom-client";
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CommitUsage } from "../../customers/limits/usage.ts";
import type { NoteRefused } from "../../db/threads/threads.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ports } from "../../ports/ports.ts";
import type { MakeAttempt } from "../../push/webhooks/delivery/attempt.ts";
import type { Job } from "../jobs/job-run.ts";
import { createRequestNotes } from "./note-request.ts";
import { createReadingGauges, type Readings } from "./reading-gauges.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/** All metrics of one worker, as plain data. */
export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Metrics of an appliance, for Prometheus. Label values come from fixed sets and never from callers.
 * @param logsAllRequests whether every request is logged
 */
export function createMetrics(
  version: string,
  ports: Pick<Ports, "clock" | "log">,
  logsAllRequests: boolean,
) {
  const registry = new Registry();
  new Gauge({
    name: "kanalog_info",
    help: "The versions that run.",
    labelNames: ["version", "bun"],
    registers: [registry],
    aggregator: "first",
  }).set({ version, bun: Bun.version }, 1);
  const setReadings = createReadingGauges(registry);
  return {
    noteRequests: createRequestNotes(registry, ports, logsAllRequests),
    counted: createWorkCounts(registry, ports.clock),
    contentType: registry.contentType,

    /** Metrics of this process. */
    json(readings: Readings): Promise<MetricsJson> {
      setReadings(readings);
      return registry.getMetricsAsJSON();
    },

    /**
     * Text of one scrape.
     * @param askOthers returns metrics of the other workers, null if there are none. Counters are summed;
     * of values that every worker sees alike, such as the file's size, the largest is reported
     */
    async text(readings: Readings, askOthers: AskOthers | null): Promise<string> {
      if (askOthers === null) {
        setReadings(readings);
        return registry.metrics();
      }
      const own = await this.json(readings);
      return AggregatorRegistry.aggregate([own, ...(await askOthers(own))]).metrics();
    },
  };
}

type AskOthers = (own: MetricsJson) => Promise<MetricsJson[]>;

/** Merges the metrics of several workers into one set. */
export function summed(all: MetricsJson[]): Promise<MetricsJson> {
  return AggregatorRegistry.aggregate(all).getMetricsAsJSON();
}

/** In seconds: most commits take a millisecond, and the lock is waited for at most three seconds. */
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
/** In seconds: a transaction may hold the lock for 0.05. */
const HOLD_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts work besides answering: each function wraps work so that it is counted; `lockHolds` and
 * `refusals` are listeners.
 */
function createWorkCounts(registry: Registry, clock: Clock) {
  const registers = [registry];
  return {
    commits: countCommits(registers, clock),
    lockHolds: countHolds(registers),
    refusals: countRefusals(registers),
    attempts: countAttempts(registers),
    jobs: countJobs(registers),
  };
}

function countHolds(registers: Registry[]): (work: string, heldMs: number) => void {
  const holds = new Histogram({
    name: "kanalog_write_lock_seconds",
    help: "How long transactions of this process held the write lock, by the name of the work.",
    labelNames: ["work"],
    buckets: HOLD_BUCKETS,
    registers,
  });
  return (work, heldMs) => holds.observe({ work }, heldMs / 1000);
}

function countRefusals(registers: Registry[]): NoteRefused {
  const refusals = new Counter({
    name: "kanalog_throttled_total",
    help:
      "Tasks for threads that were refused because their organization had used up its time (database, " +
      "lock) or waited behind its own tasks (own), or because they waited behind others' (others).",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["database", "lock", "own", "others"]) refusals.inc({ reason }, 0);
  return (reason) => refusals.inc({ reason });
}

function countCommits(registers: Registry[], clock: Clock): (commit: CommitUsage) => CommitUsage {
  const commits = new Histogram({
    name: "kanalog_usage_commit_duration_seconds",
    help: "Commits of usage: several requests share one. Failed ones included.",
    buckets: COMMIT_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: "kanalog_usage_commit_failures_total",
    help: "Commits of usage that the storage did not take.",
    registers,
  });
  const entries = new Counter({
    name: "kanalog_usage_commit_entries_total",
    help: "Entries in commits of usage: requests of one kind share one.",
    registers,
  });
  return (commit) => async (batch) => {
    const startedMs = clock.monotonic();
    try {
      return await commit(batch);
    } catch (error) {
      failures.inc();
      throw error;
    } finally {
      commits.observe((clock.monotonic() - startedMs) / 1000);
      entries.inc(batch.length);
    }
  };
}

function countAttempts(registers: Registry[]): (make: MakeAttempt) => MakeAttempt {
  const attempts = new Counter({
    name: "kanalog_webhook_attempts_total",
    help: "Attempts of webhook deliveries, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "kanalog_webhook_attempt_duration_seconds",
    help: "Attempts of webhook deliveries.",
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const delivered = attempts.labels("delivered");
  const refused = attempts.labels("refused");
  const unanswered = attempts.labels("unanswered");
  for (const outcome of [delivered, refused, unanswered]) outcome.inc(0);
  return (make) => async (delivery, signal) => {
    const outcome = await make(delivery, signal);
    // An attempt that a shutdown interrupted is not counted.
    if (signal.aborted) return outcome;
    durations.observe(outcome.durationMs / 1000);
    (outcome.error === "" ? delivered : outcome.status === null ? unanswered : refused).inc();
    return outcome;
  };
}

function countJobs(registers: Registry[]): (jobs: readonly Job[]) => Job[] {
  const runs = new Counter({
    name: "kanalog_job_runs_total",
    help: "Runs of the scheduler's jobs in this process, by outcome.",
    labelNames: ["job", "outcome"],
    registers,
  });
  return (jobs) =>
    jobs.map((job) => {
      const done = runs.labels(job.name, "done");
      const failed = runs.labels(job.name, "failed");
      for (const outcome of [done, failed]) outcome.inc(0);
      const run = async (dueAt: number): Promise<void> => {
        try {
          await job.run(dueAt);
          done.inc();
        } catch (error) {
          failed.inc();
          throw error;
        }
      };
      return { ...job, run };
    });
}
