import type { Clock } from "../ports/clock.ts";
import { inClusterTransaction } from "./cluster/cluster-transaction.ts";
import { clusterOf } from "./cluster/link.ts";
import type { Database, Transaction } from "./database.ts";
import { inFileTransaction, USUAL_WAIT, type Wait } from "./file-transaction.ts";

export type { Wait } from "./file-transaction.ts";

/** A part of long work begins its commit once it has held the lock for so long. */
const PART_MS = 8;
/** Between two parts, so that usage gets in: it looks every millisecond. */
const PARTS_PAUSE_MS = 3;

/**
 * Runs `work` in one BEGIN IMMEDIATE transaction: committed when it ends, rolled back when it throws.
 * The wait for another connection's write lock blocks no thread. On a node of a cluster the same rows are
 * committed by PostgreSQL first, in the one turn that all nodes share.
 * @param name word by which metrics and log tell how long the lock was held: a word of the program's own
 * @param work waits for nothing but queries of its own, and not at all on the connection that serves:
 *   what others read on it meanwhile would not be committed yet
 * @throws AppError `unavailable` when the lock was not free for so long
 * @throws Error where it is begun within another of its connection, which would wait for itself
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
 * Runs long work in transactions that are cut by the time they have held the lock, with pauses.
 * Interrupted, it leaves whole steps.
 * @param step a piece of the work that takes few milliseconds; false once nothing is left
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
