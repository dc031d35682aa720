import { Counter, Histogram, type Registry } from "prom-client";
import type { CommitUsage } from "../../customers/limits/usage.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MakeAttempt } from "../../push/webhooks/delivery/attempt.ts";
import type { Job } from "../jobs/scheduler.ts";

/** Seconds: most commits take a millisecond, the longest wait for the lock is three seconds. */
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
/** Seconds: a transaction may hold the lock for 0.05. */
const HOLD_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Work beside answering: each verb gives the same work, counted. */
export function createWorkCounts(registry: Registry, clock: Clock) {
  const registers = [registry];
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
  const holds = new Histogram({
    name: "kanalog_write_lock_seconds",
    help: "How long transactions of this process held the write lock, by the name of the work.",
    labelNames: ["work"],
    buckets: HOLD_BUCKETS,
    registers,
  });
  const attempts = new Counter({
    name: "kanalog_webhook_attempts_total",
    help: "Attempts of webhook deliveries, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const attemptDurations = new Histogram({
    name: "kanalog_webhook_attempt_duration_seconds",
    help: "Attempts of webhook deliveries.",
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const runs = new Counter({
    name: "kanalog_job_runs_total",
    help: "Runs of the scheduler's jobs in this process, by outcome.",
    labelNames: ["job", "outcome"],
    registers,
  });
  const delivered = attempts.labels("delivered");
  const refused = attempts.labels("refused");
  const unanswered = attempts.labels("unanswered");
  for (const outcome of [delivered, refused, unanswered]) outcome.inc(0);

  return {
    lockHolds: (work: string, heldMs: number): void => holds.observe({ work }, heldMs / 1000),

    commits:
      (commit: CommitUsage): CommitUsage =>
      async (batch) => {
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
      },

    attempts:
      (make: MakeAttempt): MakeAttempt =>
      async (delivery, signal) => {
        const outcome = await make(delivery, signal);
        // An attempt that the stop broke off counts as none.
        if (signal.aborted) return outcome;
        attemptDurations.observe(outcome.durationMs / 1000);
        (outcome.error === "" ? delivered : outcome.status === null ? unanswered : refused).inc();
        return outcome;
      },

    jobs: (jobs: readonly Job[]): Job[] =>
      jobs.map((job) => {
        const [done, failed] = [runs.labels(job.name, "done"), runs.labels(job.name, "failed")];
        for (const outcome of [done, failed]) outcome.inc(0);
        return {
          ...job,
          run: async (dueAt) => {
            try {
              await job.run(dueAt);
              done.inc();
            } catch (error) {
              failed.inc();
              throw error;
            }
          },
        };
      }),
  };
}
