import type { Clock } from "../ports/clock.ts";
import { inClusterTransaction } from "./cluster/cluster-transaction.ts";
import { clusterOf } from "./cluster/link.ts";
import type { Database, Transaction } from "./database.ts";
import { inFileTransaction, USUAL_WAIT, type Wait } from "./file-transaction.ts";

export type { Wait } from "./file-transaction.ts";

/** How long a transaction of long work holds the lock before it commits. */
const PART_MS = 8;
/** Pause between two transactions of long work, so that others get in: they poll every millisecond. */
export const PARTS_PAUSE_MS = 3;

/**
 * Runs `work` in one BEGIN IMMEDIATE transaction: committed when it ends, rolled back when it throws.
 * Waiting for another connection's write lock does not block the thread. On a node of a cluster, PostgreSQL
 * commits the same rows first, in the single turn that all nodes share.
 * @param name the work's name in metrics and the log; one of the program's own words
 * @param work must await nothing but its own queries, and nothing at all on the serving connection, where
 * others would read uncommitted data meanwhile
 * @throws AppError `unavailable` if the lock was not free in time
 * @throws Error if called within another transaction of the same connection, which would deadlock
 */
export async function inTransaction<T>(
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction) => T | Promise<T>,
  wait: Wait = USUAL_WAIT,
): Promise<T> {
  const cluster = clusterOf(db);
  return cluster === null
    ? inFileTransaction(db, clock, name, work, { wait })
    : inClusterTransaction(cluster, db, clock, name, work, wait);
}

/**
 * Runs long work in several transactions with pauses, each of as many steps as fit into `PART_MS`. If
 * interrupted, it leaves whole steps.
 * @param step a few milliseconds of work; returns false once nothing is left
 * @throws AppError `unavailable` as `inTransaction`
 */
export async function inParts(
  db: Database,
  clock: Clock,
  name: string,
  step: (tx: Transaction) => boolean | Promise<boolean>,
): Promise<void> {
  const part = async (tx: Transaction): Promise<boolean> => {
    const endAtMs = clock.monotonic() + PART_MS;
    for (;;) {
      if (!(await step(tx))) return false;
      if (clock.monotonic() >= endAtMs) return true;
    }
  };
  while (await inTransaction(db, clock, name, part)) await clock.sleep(PARTS_PAUSE_MS);
}
