import { Cron } from "croner";
import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { latestDue } from "../../values/cron-times.ts";
import type { Job, JobClaims, JobState } from "./job-run.ts";
import { isPausing, jobStates, jobsDueAfterImport, lastRuns, runClaimed } from "./job-run.ts";

/** How often to look for due jobs: due times are whole minutes, and a crashed run is repeated soon. */
const EVERY_MINUTE = "* * * * *";

export type Scheduler = ReturnType<typeof createScheduler>;

/** Runs jobs at their due times, at most once each across all processes. */
export function createScheduler(
  db: Database,
  jobs: readonly Job[],
  claims: JobClaims,
  { clock, log }: { clock: Clock; log: Log },
) {
  let stopped = false;
  /** Jobs started on request, from their claims to their ends. */
  const startedNow = new Set<Promise<void>>();
  const run = (job: Job, dueAt: number, notedAs: number) =>
    runClaimed(job, dueAt, notedAs, claims, log);

  async function runIfDue(job: Job): Promise<void> {
    const dueAt = latestDue(job.pattern, clock.now());
    if (dueAt === null) return;
    try {
      const { name, followsImports } = job;
      if (await claims.claimJob({ name, dueAt, followsImports })) await run(job, dueAt, dueAt);
    } catch (error) {
      log.error({ err: error, job: job.name }, "a due job could not be claimed or recorded");
    }
  }

  /** Runs each job whose latest due time nobody has taken: once, however many were missed. */
  async function runDue(): Promise<void> {
    for (const job of jobs) {
      if (!stopped && job.isOwn()) await runIfDue(job);
    }
  }

  /** Runs the jobs that have not processed the last import. Never throws. */
  async function followImports(): Promise<void> {
    try {
      for (const { job, run: last } of jobsDueAfterImport(db, jobs)) {
        const now = clock.now();
        if (stopped || !job.isOwn() || isPausing(last, now)) continue;
        const dueAt = latestDue(job.pattern, now) ?? now;
        const notedAs = await claims.claimJobAfterImport({ name: job.name, dueAt });
        if (notedAs !== null) await run(job, dueAt, notedAs);
      }
    } catch (error) {
      log.error({ err: error }, "jobs that follow imports could not be claimed or recorded");
    }
  }

  /** Runs a job that was claimed on request. Never throws. */
  async function runStarted(job: Job, dueAt: number, notedAs: number): Promise<void> {
    try {
      await run(job, dueAt, notedAs);
    } catch (error) {
      log.error({ err: error, job: job.name }, "a job's end could not be recorded");
    }
  }

  /**
   * Starts a job immediately, regardless of its due times; the run continues after this settles.
   * @returns false if it is already running, in any process
   * @throws AppError `not_found`
   */
  async function runNow(name: string, by: Actor): Promise<boolean> {
    const job = jobs.find((one) => one.name === name);
    if (job === undefined) throw notFound("job", name);
    const now = clock.now();
    // It does the work of its last due time, for instance for the day to be closed.
    const dueAt = latestDue(job.pattern, now) ?? now;
    if (stopped) return false;
    const { followsImports } = job;
    const claimed = claims.claimJobNow({ name, dueAt, followsImports }, by);
    const ended = claimed.then(
      (notedAs) => (notedAs === null ? undefined : runStarted(job, dueAt, notedAs)),
      () => {},
    );
    startedNow.add(ended);
    void ended.finally(() => startedNow.delete(ended));
    return (await claimed) !== null;
  }

  const ticker = createTicker(EVERY_MINUTE, runDue);
  return {
    runDue,
    followImports,
    runNow,

    /** Names of the jobs that have not processed the last import yet. */
    dueAfterImport: async (): Promise<string[]> =>
      jobsDueAfterImport(db, jobs).map(({ job }) => job.name),

    /** All jobs with their last runs. */
    list: async (): Promise<JobState[]> => jobStates(jobs, lastRuns(db), clock.now()),

    start: ticker.start,

    /** Stops looking for due times; settles when running jobs have ended. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all([ticker.stop(), ...startedNow]);
    },
  };
}

export interface Ticker {
  start(): void;
  /** Starts nothing more; settles when the current work has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `work` by a cron pattern, and once at the start. Calls never overlap: a slow one skips its next
 * times.
 * @param pattern of seconds and minutes only, which are the same in all time zones
 * @param work never throws
 */
export function createTicker(pattern: string, work: () => Promise<void>): Ticker {
  let timer: Cron | null = null;
  let underWay: Promise<void> | null = null;

  function tick(): void {
    underWay ??= work().finally(() => {
      underWay = null;
    });
  }

  return {
    start() {
      // An offset instead of a zone: looking up the next time in a zone's table takes 47 us instead of 4,
      // every second.
      timer = new Cron(pattern, { utcOffset: 0 }, tick);
      tick();
    },
    async stop() {
      timer?.stop();
      await underWay;
    },
  };
}
