import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS } from "../../values/moscow-time.ts";

/** A job's due time, to be claimed by one process. */
export interface JobClaim {
  name: string;
  dueAt: number;
}

export interface JobEnd extends JobClaim {
  /** Null: it succeeded. */
  failure: string | null;
}

/** A job's last run, or one under way. */
export interface JobRun extends JobEnd {
  /** Null where it was seen, but never ran. */
  startedAt: number | null;
  /** Null while it is under way. */
  finishedAt: number | null;
}

/** A run that has not ended after this long is taken for crashed; the longest takes some minutes. */
const LEASE_MS = 60 * 60 * 1000;
/**
 * Noted further ahead than this by a clock that was wrong: it counts for nothing, else a job would
 * not run before that time comes. A clock that is set back by less runs nothing again.
 */
const AHEAD_MAX_MS = 2 * DAY_MS;

/** Nobody is running the job: its last run has ended, or crashed. */
const IS_FREE =
  "(finished_at IS NOT NULL OR started_at <= @now - @lease OR started_at > @now + @ahead)";

const START = `
  UPDATE jobs SET due_at = iif(due_at > @now + @ahead, @dueAt, max(due_at, @dueAt)),
    started_at = @now, finished_at = NULL, failure = NULL
  WHERE name = @name AND ${IS_FREE}`;

/**
 * Takes a due time for the calling process. False where it is taken already, lies before one that
 * was, where the job is running, or where it is seen for the first time: a new database has nothing
 * to catch up with. A due time is run at most once, but for a run that never ended: the jobs may be
 * run again, and a day that was half closed must be closed.
 */
export function claimJob(db: Database, clock: Clock, { name, dueAt }: JobClaim): Promise<boolean> {
  return inTransaction(db, clock, "job-claim", () => {
    const now = clock.now();
    if (addJob(db, { name, dueAt }, now)) return false;
    const claimed = statement(
      db,
      `${START} AND (due_at < @dueAt OR due_at > @now + @ahead
         OR (due_at = @dueAt AND finished_at IS NULL))`,
    ).run({ name, dueAt, now, lease: LEASE_MS, ahead: AHEAD_MAX_MS });
    return claimed.changes > 0;
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
  { name, dueAt }: JobClaim,
  by: Actor,
): Promise<number | null> {
  return inTransaction(db, clock, "job-claim", async (tx) => {
    const now = clock.now();
    addJob(db, { name, dueAt }, now);
    const claimed = statement<{ dueAt: number }>(db, `${START} RETURNING due_at AS dueAt`);
    const taken = claimed.get({ name, dueAt, now, lease: LEASE_MS, ahead: AHEAD_MAX_MS });
    if (taken === undefined) return null;
    const target = `job ${name}` as const;
    await recordChange(tx, clock, by, { organizationId: null, action: "job.run", target });
    return taken.dueAt;
  });
}

/** Notes how the run that claimed a due time ended. */
export function endJob(
  db: Database,
  clock: Clock,
  { name, dueAt, failure }: JobEnd,
): Promise<void> {
  return inTransaction(db, clock, "job-end", () => {
    statement(db, "UPDATE jobs SET finished_at = ?, failure = ? WHERE name = ? AND due_at = ?").run(
      clock.now(),
      failure,
      name,
      dueAt,
    );
  });
}

export function selectJobRuns(db: Database): JobRun[] {
  return statement<JobRun>(
    db,
    `SELECT name, due_at AS dueAt, started_at AS startedAt, finished_at AS finishedAt, failure
     FROM jobs`,
  ).all();
}

/** Notes a job that never ran. @returns false where it was seen before */
function addJob(db: Database, { name, dueAt }: JobClaim, now: number): boolean {
  const added = statement(
    db,
    "INSERT INTO jobs (name, due_at, finished_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  ).run(name, dueAt, now);
  return added.changes > 0;
}
