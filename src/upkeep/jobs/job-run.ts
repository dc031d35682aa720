import { hasFollowed, noteFollowed } from "../../catalog/imports/writing/import-summary.ts";
import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { transaction } from "../../db/transaction.ts";
import type { Log } from "../../ports/log.ts";
import { nextDue } from "../../values/cron-times.ts";
import { DAY_MS, formatInstant } from "../../values/moscow-time.ts";
import type { JobRun, Start } from "./jobs.store.ts";
import {
  addJob,
  selectJobRuns,
  startCutOffJob,
  startDueJob,
  startJob,
  updateEnd,
} from "./jobs.store.ts";
import { BACKUP_JOB } from "./jobs.ts";
import type { Scheduler } from "./scheduler.ts";

/** A job's due time, which one process may claim. */
interface JobClaim {
  name: string;
  dueAt: number;
  /** Whether it also runs soon after imports. */
  followsImports?: boolean | undefined;
}

interface JobEnd extends JobClaim {
  /** Null if it succeeded. */
  failure: string | null;
}

/** A run that has not ended after this long has crashed; the longest takes a few minutes. */
const LEASE_MS = 60 * 60 * 1000;
/**
 * Times further ahead than this were recorded by a wrong clock and are ignored, or the job would not run
 * until then. Setting the clock back by less does not repeat anything.
 */
const AHEAD_MAX_MS = 2 * DAY_MS;

/**
 * Claims a due time for the calling process. False if it or a later one is already taken, if the job is
 * running, or if the job is new: a new database has nothing to catch up on. A due time runs at most once,
 * unless its run never ended: jobs can be repeated, and a half-closed day must be closed.
 */
const claimJob = transaction("job-claim", async (tx, clock, claim: JobClaim) => {
  const start = startAt(clock.now(), claim);
  const isTaken = !(await addJob(tx, start)) && (await startDueJob(tx, start));
  if (isTaken && claim.followsImports === true) noteFollowed(tx, claim.name);
  return isTaken;
});

/**
 * Claims a job outside its due times, on somebody's request, which is recorded in the audit log. The due
 * time whose work it does counts as run.
 * @returns the due time to record its end under; null if it is running, in any process
 */
const claimJobNow = transaction("job-claim", async (tx, clock, claim: JobClaim, by: Actor) => {
  const start = startAt(clock.now(), claim);
  await addJob(tx, start);
  const dueAt = await startJob(tx, start);
  if (dueAt === null) return null;
  if (claim.followsImports === true) noteFollowed(tx, claim.name);
  await recordChange(tx, clock, by, { action: "job.run", id: claim.name });
  return dueAt;
});

/**
 * Claims a job that computes from imported rows, if its last run began before the latest import or was cut
 * off. The previous due time counts as run.
 * @returns the due time under which its end is recorded; null if nothing was imported since, or if it is
 * already running in any process
 */
const claimJobAfterImport = transaction("job-claim", async (tx, clock, claim: JobClaim) => {
  const start = startAt(clock.now(), claim);
  await addJob(tx, start);
  const dueAt = await (hasFollowed(tx, claim.name) ? startCutOffJob : startJob)(tx, start);
  if (dueAt === null) return null;
  noteFollowed(tx, claim.name);
  return dueAt;
});

/** Records the outcome of a claimed run. */
const endJob = transaction("job-end", (tx, clock, end: JobEnd) =>
  updateEnd(tx, { ...end, now: clock.now() }),
);

/** Claims of runs and their ends, one transaction each. */
export const jobClaims = { claimJob, claimJobNow, claimJobAfterImport, endJob };

export type JobClaims = Calls<typeof jobClaims>;

function startAt(now: number, { name, dueAt }: JobClaim): Start {
  return { name, dueAt, now, crashedAt: now - LEASE_MS, aheadAt: now + AHEAD_MAX_MS };
}

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

/**
 * Runs a job whose due time was claimed, and records how it ended.
 * @param notedAs the due time under which the claim was recorded
 */
export async function runClaimed(
  job: Job,
  dueAt: number,
  notedAs: number,
  claims: JobClaims,
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
  await claims.endJob({ name: job.name, dueAt: notedAs, failure });
}

export function lastRuns(db: Database): Map<string, JobRun> {
  return new Map(selectJobRuns(db).map((run) => [run.name, run]));
}

/** Jobs that have not processed the last import yet, with their last runs. */
export function jobsDueAfterImport(
  db: Database,
  jobs: readonly Job[],
): { job: Job; run: JobRun | undefined }[] {
  const runs = lastRuns(db);
  return jobs.flatMap((job) => {
    const run = runs.get(job.name);
    const isDone = hasFollowed(db, job.name) && run?.finishedAt !== null;
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
