import { hasFollowed, noteFollowed } from "../../catalog/imports/import-count.ts";
import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import {
  addJob,
  type Start,
  startCutOffJob,
  startDueJob,
  startJob,
  updateEnded,
} from "./jobs.store.ts";

/** A job's due time, to be claimed by one process. */
export interface JobClaim {
  name: string;
  dueAt: number;
  /** Whether its work is done soon after imports too. */
  followsImports?: boolean | undefined;
}

export interface JobEnd extends JobClaim {
  /** Null: it succeeded. */
  failure: string | null;
}

/** A run that has not ended after this long is taken for crashed; the longest takes some minutes. */
const LEASE_MS = 60 * 60 * 1000;
/**
 * Noted further ahead than this by a clock that was wrong: it counts for nothing, else a job would
 * not run before that time comes. A clock that is set back by less runs nothing again.
 */
const AHEAD_MAX_MS = 2 * DAY_MS;

/**
 * Takes a due time for the calling process. False where it is taken already, lies before one that
 * was, where the job is running, or where it is seen for the first time: a new database has nothing
 * to catch up with. A due time is run at most once, but for a run that never ended: the jobs may be
 * run again, and a day that was half closed must be closed.
 */
export function claimJob(db: Database, clock: Clock, claim: JobClaim): Promise<boolean> {
  return inTransaction(db, clock, "job-claim", async (tx) => {
    const start = startAt(clock.now(), claim);
    const isTaken = !(await addJob(tx, start)) && (await startDueJob(tx, start));
    if (isTaken && claim.followsImports === true) noteFollowed(tx, claim.name);
    return isTaken;
  });
}

/**
 * Takes a job outside its due times, for somebody. The due time that it does the work of counts as
 * run, and is not run once more.
 * @returns the due time that its end is noted under; null where it is running, in whichever process
 */
export function claimJobNow(
  db: Database,
  clock: Clock,
  claim: JobClaim,
  by: Actor,
): Promise<number | null> {
  return inTransaction(db, clock, "job-claim", async (tx) => {
    const start = startAt(clock.now(), claim);
    await addJob(tx, start);
    const dueAt = await startJob(tx, start);
    if (dueAt === undefined) return null;
    if (claim.followsImports === true) noteFollowed(tx, claim.name);
    const target = `job ${claim.name}` as const;
    await recordChange(tx, clock, by, { organizationId: null, action: "job.run", target });
    return dueAt;
  });
}

/**
 * Takes a job that computes from what imports write, where its last run began before the last of them or was
 * cut off. The due time before counts as run.
 * @returns the due time that its end is noted under; null where nothing was imported since, or it is running,
 * in whichever process
 */
export function claimJobBehind(
  db: Database,
  clock: Clock,
  claim: JobClaim,
): Promise<number | null> {
  return inTransaction(db, clock, "job-claim", async (tx) => {
    const start = startAt(clock.now(), claim);
    await addJob(tx, start);
    const dueAt = await (hasFollowed(tx, claim.name) ? startCutOffJob : startJob)(tx, start);
    if (dueAt === undefined) return null;
    noteFollowed(tx, claim.name);
    return dueAt;
  });
}

/** Notes how the run that claimed a due time ended. */
export function endJob(db: Database, clock: Clock, end: JobEnd): Promise<void> {
  return inTransaction(db, clock, "job-end", (tx) => updateEnded(tx, { ...end, now: clock.now() }));
}

function startAt(now: number, { name, dueAt }: JobClaim): Start {
  return { name, dueAt, now, crashedAt: now - LEASE_MS, aheadAt: now + AHEAD_MAX_MS };
}
