import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { STOPPING_MAX_MS } from "../ports/own-work.ts";
import { message } from "../values/messages/messages.ts";
import type { Database } from "./database.ts";

/**
 * SQL function with which slow statements stop themselves, since the driver cannot interrupt them. It is
 * called for every row and must be the FIRST term of the WHERE clause (SQLite skips later terms for rows
 * that an earlier one rejects). It returns 1, or throws once the deadline has passed.
 */
export const WITHIN_DEADLINE = "within_deadline()";

/** Rows between two looks at the clock: at most 0.1 ms at measured speeds. */
const ROWS_PER_LOOK = 128;

interface Deadline {
  clock: Clock;
  atMs: number;
  rows: number;
}

const deadlines = new WeakMap<Database, Deadline>();

/** Registers `within_deadline()` on a connection; without a deadline it always returns 1. */
export function armDeadline(db: Database, clock: Clock): void {
  const deadline: Deadline = { clock, atMs: Number.POSITIVE_INFINITY, rows: 0 };
  deadlines.set(db, deadline);
  db.defineFunction("within_deadline", () => {
    deadline.rows += 1;
    if (deadline.rows % ROWS_PER_LOOK === 0 && clock.monotonic() > deadline.atMs) {
      throw queryTimeout();
    }
    return 1;
  });
}

/** Stops work between statements that are too fast for a call per row. @throws AppError `timeout` */
export function requireTime(db: Database): void {
  const deadline = deadlines.get(db);
  if (deadline !== undefined && deadline.clock.monotonic() > deadline.atMs) throw queryTimeout();
}

/** Returns whether some milliseconds have passed since the call; never without a deadline's clock. */
export function timeLimit(db: Database, ms: number): () => boolean {
  const clock = deadlines.get(db)?.clock;
  if (clock === undefined) return () => false;
  const untilMs = clock.monotonic() + ms;
  return () => clock.monotonic() > untilMs;
}

/** Runs `work`; its statements fail with `timeout` once the monotonic clock passes `atMs`. */
export function withQueryDeadline<T>(db: Database, atMs: number, work: () => T): T {
  const deadline = deadlines.get(db);
  if (deadline === undefined) throw new Error("this connection has no deadline armed");
  deadline.atMs = atMs;
  try {
    return work();
  } finally {
    deadline.atMs = Number.POSITIVE_INFINITY;
  }
}

/** 429 `throttled`, because the organization's own queries are in the way. */
export function ownQueueLong(): AppError {
  return new AppError("throttled", message("ownQueueLong"), { retryAfterS: 1 });
}

/** 503 `timeout` (specification, section 7). */
export function queryTimeout(): AppError {
  return new AppError("timeout", message("queryTimeout"));
}

const MINUTE_MS = 60_000;

/**
 * Runs work that must end by a deadline. Then its signal is aborted, and the call fails once the work has
 * ended, or without it if it does not stop.
 * @param signal aborts the work as well
 * @throws AppError `timeout` after the deadline, whatever the work's own outcome is
 */
export function withDeadline<T>(
  clock: Pick<Clock, "after">,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = new AbortController();
  const all = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  let cancel = clock.after(deadlineMs, () => {
    late.abort();
    cancel = clock.after(STOPPING_MAX_MS, () => reject(givenUp(deadlineMs)));
  });
  work(all)
    .finally(() => cancel())
    .then(
      (result) => (late.signal.aborted ? reject(givenUp(deadlineMs)) : resolve(result)),
      (error) => reject(late.signal.aborted ? givenUp(deadlineMs) : error),
    );
  return promise;
}

/** Why work was ended at its deadline. */
export function givenUp(deadlineMs: number): AppError {
  const minutes = Math.round(deadlineMs / MINUTE_MS);
  return new AppError("timeout", message("givenUp", { minutes }));
}
