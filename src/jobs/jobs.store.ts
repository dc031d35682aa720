import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";

/** A job's due time, to be claimed by one process. */
export interface JobClaim {
  name: string;
  dueAt: number;
}

export interface JobEnd extends JobClaim {
  /** Null: it succeeded. */
  failure: string | null;
}

/** A run that has not ended after this long is taken for crashed; the longest takes some minutes. */
const LEASE_MS = 60 * 60 * 1000;

/**
 * Takes a due time for the calling process. False where it is taken already, lies before one that
 * was, or where the job is seen for the first time: a new database has nothing to catch up with. A
 * due time is run at most once, but for a run that never ended: the jobs may be run again, and a
 * day that was half closed must be closed.
 */
export function claimJob(db: Database, clock: Clock, { name, dueAt }: JobClaim): Promise<boolean> {
  return inTransaction(db, clock, () => {
    const now = clock.now();
    const first = statement(
      db,
      `INSERT INTO jobs (name, due_at, started_at, finished_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ).run(name, dueAt, now, now);
    if (first.changes > 0) return false;
    const claimed = statement(
      db,
      `UPDATE jobs SET due_at = @dueAt, started_at = @now, finished_at = NULL, failure = NULL
       WHERE name = @name AND (due_at < @dueAt OR
         (due_at = @dueAt AND finished_at IS NULL AND started_at <= @now - @lease))`,
    ).run({ name, dueAt, now, lease: LEASE_MS });
    return claimed.changes > 0;
  });
}

/** Notes how the run that claimed a due time ended. */
export function endJob(
  db: Database,
  clock: Clock,
  { name, dueAt, failure }: JobEnd,
): Promise<void> {
  return inTransaction(db, clock, () => {
    statement(db, "UPDATE jobs SET finished_at = ?, failure = ? WHERE name = ? AND due_at = ?").run(
      clock.now(),
      failure,
      name,
      dueAt,
    );
  });
}
