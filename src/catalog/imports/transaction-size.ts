import type { Database } from "../../db/database.ts";
import { lastHoldMs } from "../../db/lock-holds.ts";
import { rewriteMeta } from "../../db/meta.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * A transaction of an import is to hold the lock for so long, since other writers (usage) wait for it.
 */
const HOLD_MS = 8;
/** So many rows go into one however slow the storage is: else an import would never end. */
const ROWS_MIN = 20;
/** A row's later cost is guessed high at first. */
const LATER_AT_FIRST_MS = 0.05;
/**
 * The guess of the later cost goes up after a transaction whose rows cost more, and down after others:
 * it comes to lie near the middle, where a mean would follow each slow moment of the disk.
 */
const UP = 1.15;
const DOWN = 0.9;

/** Measures the cost of a nearly empty commit on this storage: the better of two, in milliseconds. */
export async function measureCommit(db: Database, clock: Clock): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 2; tries++) {
    await inTransaction(db, clock, "import", () => rewriteMeta(db));
    bestMs = Math.min(bestMs, lastHoldMs(db));
  }
  return bestMs;
}

/**
 * Says when a transaction has enough rows. Rows cost twice: when they are written, and later, in what is
 * written before the commit (indexes, cards) and in the commit itself, which flushes the pages that
 * they changed. The later cost is learnt from the transactions before.
 * @param commitMs what each commit costs, however few its rows: it is left out of the rows' cost, or a
 *   slow disk would shrink transactions to nothing
 */
export function createTransactionSize(commitMs: number) {
  let laterMs = LATER_AT_FIRST_MS;
  return {
    /** @param sinceMs how long the transaction has been writing rows */
    isFull: (rows: number, sinceMs: number): boolean =>
      rows >= ROWS_MIN && sinceMs + rows * laterMs >= HOLD_MS,

    /**
     * After a transaction's commit, in milliseconds from its begin.
     * @param rowsMs to its last row
     * @param heldMs to the commit's end
     */
    ended(rows: number, rowsMs: number, heldMs: number): void {
      laterMs *= (heldMs - rowsMs - commitMs) / rows > laterMs ? UP : DOWN;
    },
  };
}
