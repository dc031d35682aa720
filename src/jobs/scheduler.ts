import { Cron } from "croner";
import { MOSCOW_ZONE } from "../moscow-time.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { JobClaim, JobEnd } from "./jobs.store.ts";
import { createTicker } from "./ticker.ts";

export interface Job {
  name: string;
  /** Cron pattern in Moscow time. */
  pattern: string;
  run(dueAt: number): Promise<void>;
}

export interface JobLedger {
  claim(claim: JobClaim): Promise<boolean>;
  end(end: JobEnd): Promise<void>;
}

export interface Scheduler {
  /** Runs each job whose latest due time nobody has taken: once, however many were missed. */
  runDue(): Promise<void>;
  start(): void;
  /** Looks for no more due times; settles when the job under way has ended. */
  stop(): Promise<void>;
}

/** When it looks: due times are whole minutes, and a crashed run is taken up again. */
const EVERY_MINUTE = "* * * * *";

/** Runs jobs at their due times, at most once each over all processes on the file. */
export function createScheduler(
  jobs: readonly Job[],
  ledger: JobLedger,
  clock: Clock,
  log: Log,
): Scheduler {
  let stopped = false;

  async function runIfDue(job: Job): Promise<void> {
    const dueAt = latestDue(job.pattern, clock.now());
    if (dueAt === null) return;
    try {
      if (!(await ledger.claim({ name: job.name, dueAt }))) return;
      const failure = await runJob(job, dueAt);
      await ledger.end({ name: job.name, dueAt, failure });
    } catch (error) {
      log.error({ err: error, job: job.name }, "a job's due time could not be taken or noted");
    }
  }

  async function runJob(job: Job, dueAt: number): Promise<string | null> {
    try {
      await job.run(dueAt);
      log.info({ job: job.name, dueAt }, "a job was done");
      return null;
    } catch (error) {
      log.error({ err: error, job: job.name }, "a job failed");
      return error instanceof Error ? error.message : String(error);
    }
  }

  async function runDue(): Promise<void> {
    for (const job of jobs) {
      if (!stopped) await runIfDue(job);
    }
  }

  const ticker = createTicker(EVERY_MINUTE, runDue);
  return {
    runDue,
    start: ticker.start,
    async stop() {
      stopped = true;
      await ticker.stop();
    },
  };
}

/** The last instant at or before `nowMs` that the pattern names. */
export function latestDue(pattern: string, nowMs: number): number | null {
  const cron = new Cron(pattern, { timezone: MOSCOW_ZONE, paused: true });
  // Croner leaves the reference's own second out, so it is asked from the next one on.
  const latest = cron.previousRuns(2, new Date(nowMs + 1000)).map((run) => run.getTime());
  return latest.find((dueAt) => dueAt <= nowMs) ?? null;
}
