import type { Actor } from "../../customers/audit/audit-log.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { latestDue, nextDue } from "../../values/cron-times.ts";
import type { JobClaim, JobEnd } from "./job-claims.ts";
import type { JobRun } from "./jobs.table.ts";
import { createTicker } from "./ticker.ts";

export interface Job {
  name: string;
  /** Cron pattern in Moscow time. */
  pattern: string;
  /** Whether this process looks for its due times. */
  isOwn(): boolean;
  /** Whether it is done soon after imports of days and posts too. */
  followsImports?: boolean | undefined;
  run(dueAt: number): Promise<unknown>;
}

export interface JobLedger {
  claim(claim: JobClaim): Promise<boolean>;
  /** Outside the job's due times. */
  claimNow(claim: JobClaim, by: Actor): Promise<number | null>;
  /** Where an import wrote what the job has not computed from yet. */
  claimBehind(claim: JobClaim): Promise<number | null>;
  /** Whether nothing was imported since the job's last run began. */
  hasFollowed(name: string): boolean;
  runs(): Promise<JobRun[]>;
  end(end: JobEnd): Promise<void>;
}

export interface JobState {
  name: string;
  pattern: string;
  nextDueAt: number | null;
  startedAt: number | null;
  /** Null while it runs, and where it never did. */
  finishedAt: number | null;
  failure: string | null;
}

/** When it looks: due times are whole minutes, and a crashed run is taken up again. */
const EVERY_MINUTE = "* * * * *";

/** Pause after a run that followed imports, in its own durations: of all time it takes at most a twentieth. */
const PAUSE_IN_DURATIONS = 20;

/** Whether a run that has ended was too short a time ago for another that follows imports. */
function rests(run: JobRun | undefined, now: number): boolean {
  if (run?.startedAt == null || run.finishedAt === null || run.startedAt > now) return false;
  return now < run.finishedAt + PAUSE_IN_DURATIONS * (run.finishedAt - run.startedAt);
}

export type Scheduler = ReturnType<typeof createScheduler>;

/** Runs jobs at their due times, at most once each over all processes. */
export function createScheduler(jobs: readonly Job[], ledger: JobLedger, clock: Clock, log: Log) {
  let stopped = false;
  const startedNow = new Set<Promise<void>>();

  async function runIfDue(job: Job): Promise<void> {
    const dueAt = latestDue(job.pattern, clock.now());
    if (dueAt === null) return;
    try {
      const { name, followsImports } = job;
      if (await ledger.claim({ name, dueAt, followsImports })) await runAndNote(job, dueAt, dueAt);
    } catch (error) {
      log.error({ err: error, job: job.name }, "a job's due time could not be taken or noted");
    }
  }

  async function runAndNote(job: Job, dueAt: number, notedAs: number): Promise<void> {
    const failure = await runJob(job, dueAt);
    await ledger.end({ name: job.name, dueAt: notedAs, failure });
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

  /** Runs each job whose latest due time nobody has taken: once, however many were missed. */
  async function runDue(): Promise<void> {
    for (const job of jobs) {
      if (!stopped && job.isOwn()) await runIfDue(job);
    }
  }

  /** Jobs that have not computed from the last import yet, with their last runs. */
  async function runsBehind(): Promise<{ job: Job; run: JobRun | undefined }[]> {
    const runs = new Map((await ledger.runs()).map((run) => [run.name, run]));
    return jobs.flatMap((job) => {
      const run = runs.get(job.name);
      const isDone = ledger.hasFollowed(job.name) && run?.finishedAt !== null;
      return job.followsImports === true && !isDone ? [{ job, run }] : [];
    });
  }

  /** Names of the jobs that have not computed from the last import yet. */
  async function behind(): Promise<string[]> {
    return (await runsBehind()).map(({ job }) => job.name);
  }

  /** Runs the jobs that an import left behind. Never throws. */
  async function followImports(): Promise<void> {
    try {
      for (const { job, run } of await runsBehind()) {
        const now = clock.now();
        if (stopped || !job.isOwn() || rests(run, now)) continue;
        const dueAt = latestDue(job.pattern, now) ?? now;
        const notedAs = await ledger.claimBehind({ name: job.name, dueAt });
        if (notedAs !== null) await runAndNote(job, dueAt, notedAs);
      }
    } catch (error) {
      log.error({ err: error }, "the jobs that follow imports could not be taken or noted");
    }
  }

  /**
   * Starts a job at once, whatever its due times; it runs on after this has settled.
   * @returns false where it is running already, in whichever process
   * @throws AppError `not_found`
   */
  async function runNow(name: string, by: Actor): Promise<boolean> {
    const job = jobs.find((one) => one.name === name);
    if (job === undefined) throw notFound("job", name);
    const now = clock.now();
    // It does what its last due time asks for: the day that was to be closed, say.
    const dueAt = latestDue(job.pattern, now) ?? now;
    const notedAs = stopped
      ? null
      : await ledger.claimNow({ name, dueAt, followsImports: job.followsImports }, by);
    if (notedAs === null) return false;
    const run = runAndNote(job, dueAt, notedAs).catch((error) => {
      log.error({ err: error, job: name }, "a job's end could not be noted");
    });
    startedNow.add(run);
    void run.finally(() => startedNow.delete(run));
    return true;
  }

  /** All jobs, with how they ran last. */
  async function list(): Promise<JobState[]> {
    const runs = new Map((await ledger.runs()).map((run) => [run.name, run]));
    return jobs.map(({ name, pattern }) => {
      const run = runs.get(name);
      return {
        name,
        pattern,
        nextDueAt: nextDue(pattern, clock.now()),
        startedAt: run?.startedAt ?? null,
        finishedAt: run?.startedAt ? run.finishedAt : null,
        failure: run?.failure ?? null,
      };
    });
  }

  const ticker = createTicker(EVERY_MINUTE, runDue);
  return {
    runDue,
    followImports,
    behind,
    runNow,
    list,
    start: ticker.start,
    /** Looks for no more due times; settles when the jobs under way have ended. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all([ticker.stop(), ...startedNow]);
    },
  };
}
