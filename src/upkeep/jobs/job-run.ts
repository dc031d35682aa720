import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Log } from "../../ports/log.ts";
import { nextDue } from "../../values/cron-times.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import type { JobClaim, JobEnd } from "./job-claims.ts";
import type { JobRun } from "./jobs.store.ts";

import { BACKUP_JOB } from "./jobs.ts";
import type { Scheduler } from "./scheduler.ts";

export interface Job {
  name: string;
  /** Cron pattern in Moscow time. */
  pattern: string;
  /** Whether this process is the one that runs it. */
  isOwn(): boolean;
  /** Whether it also runs soon after imports of statistics and posts. */
  followsImports?: boolean | undefined;
  run(dueAt: number): Promise<unknown>;
}

export interface JobLedger {
  claim(claim: JobClaim): Promise<boolean>;
  /** Claims a run outside the job's due times. */
  claimNow(claim: JobClaim, by: Actor): Promise<number | null>;
  /** Claims a run if an import has written data that the job has not processed yet. */
  claimAfterImport(claim: JobClaim): Promise<number | null>;
  /** Whether nothing was imported since the job's last run began. */
  hasFollowed(name: string): boolean;
  runs(): Promise<JobRun[]>;
  end(end: JobEnd): Promise<void>;
}

/**
 * Runs a job whose due time was claimed, and records how it ended.
 * @param notedAs the due time under which the claim was recorded
 */
export async function runClaimed(
  job: Job,
  dueAt: number,
  notedAs: number,
  ledger: JobLedger,
  log: Log,
): Promise<void> {
  let failure: string | null = null;
  try {
    const done = await job.run(dueAt);
    log.info({ job: job.name, dueAt, ...(done !== undefined && { done }) }, "a job finished");
  } catch (error) {
    log.error({ err: error, job: job.name }, "a job failed");
    failure = error instanceof Error ? error.message : String(error);
  }
  await ledger.end({ name: job.name, dueAt: notedAs, failure });
}

export async function lastRuns({ runs }: Pick<JobLedger, "runs">): Promise<Map<string, JobRun>> {
  return new Map((await runs()).map((run) => [run.name, run]));
}

/** Jobs that have not processed the last import yet, with their last runs. */
export async function jobsDueAfterImport(
  jobs: readonly Job[],
  ledger: JobLedger,
): Promise<{ job: Job; run: JobRun | undefined }[]> {
  const runs = await lastRuns(ledger);
  return jobs.flatMap((job) => {
    const run = runs.get(job.name);
    const isDone = ledger.hasFollowed(job.name) && run?.finishedAt !== null;
    return job.followsImports === true && !isDone ? [{ job, run }] : [];
  });
}

/**
 * Pause after a run that followed imports, as a multiple of its duration, so it uses at most a twentieth of
 * the time.
 */
const PAUSE_IN_DURATIONS = 20;

/** Whether the pause after the job's last run is still going on. */
export function isPausing(run: JobRun | undefined, now: number): boolean {
  if (run?.startedAt == null || run.finishedAt === null || run.startedAt > now) return false;
  return now < run.finishedAt + PAUSE_IN_DURATIONS * (run.finishedAt - run.startedAt);
}

/** A job as staff see it: when it runs next, and how its last run went. */
export interface JobState {
  name: string;
  pattern: string;
  nextDueAt: number | null;
  startedAt: number | null;
  /** Null while it is running, and if it has never run. */
  finishedAt: number | null;
  failure: string | null;
}

/** @param runs each job's last run, by name */
export function jobStates(
  jobs: readonly Job[],
  runs: ReadonlyMap<string, JobRun>,
  nowMs: number,
): JobState[] {
  return jobs.map(({ name, pattern }) => {
    const run = runs.get(name);
    return {
      name,
      pattern,
      nextDueAt: nextDue(pattern, nowMs),
      startedAt: run?.startedAt ?? null,
      finishedAt: run?.startedAt ? run.finishedAt : null,
      failure: run?.failure ?? null,
    };
  });
}

/**
 * Warning shown in `/readyz` if the last daily backup failed; null otherwise, and if the database does not
 * respond, which is reported separately.
 */
export async function backupWarning(jobs: Pick<Scheduler, "list">): Promise<string | null> {
  const states = await jobs.list().catch(() => []);
  const job = states.find(({ name }) => name === BACKUP_JOB);
  if (job === undefined || job.failure === null || job.startedAt === null) return null;
  return `The backup of ${formatInstant(job.startedAt)} failed; the log says why.`;
}
