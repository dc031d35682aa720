import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";
import type { Database } from "./database.ts";

/**
 * The driver has no interrupt, so a statement that may be slow stops itself: it calls this SQL
 * function for every row, as the FIRST term of its WHERE (behind another term it is skipped for
 * the rows which that term refuses). It answers 1, or throws once the deadline has passed.
 */
export const WITHIN_DEADLINE = "within_deadline()";

/** Rows between two looks at the clock: 0.1 ms or less at the speeds measured. */
const ROWS_PER_LOOK = 128;

interface Deadline {
  atMs: number;
  rows: number;
}

const deadlines = new WeakMap<Database, Deadline>();

/** Registers `within_deadline()` on a connection; without a deadline it always answers 1. */
export function armDeadline(db: Database, clock: Clock): void {
  const deadline: Deadline = { atMs: Number.POSITIVE_INFINITY, rows: 0 };
  deadlines.set(db, deadline);
  db.defineFunction("within_deadline", () => {
    deadline.rows += 1;
    if (deadline.rows % ROWS_PER_LOOK === 0 && clock.monotonic() > deadline.atMs) {
      throw queryTimeout();
    }
    return 1;
  });
}

/** Runs `work`, whose statements stop with `timeout` once the clock's monotonic time passes. */
export function withDeadline<T>(db: Database, atMs: number, work: () => T): T {
  const deadline = deadlines.get(db);
  if (deadline === undefined) throw new Error("this connection has no deadline armed");
  deadline.atMs = atMs;
  try {
    return work();
  } finally {
    deadline.atMs = Number.POSITIVE_INFINITY;
  }
}

/** Specification, section 7: 503 `timeout`. */
export function queryTimeout(): AppError {
  return new AppError("timeout", message("queryTimeout"));
}
