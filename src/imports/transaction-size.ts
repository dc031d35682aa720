/**
 * A transaction of an import is to hold the lock for so long, since other writers (usage) wait for it.
 */
const HOLD_MS = 15;
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
/** The least that a commit has cost is forgotten by and by: a disk may become slow. */
const FORGETTING = 1.02;

/**
 * Says when a transaction has enough rows. Rows cost twice: when they are written, and later, in what is
 * written before the commit (indexes, cards) and in the commit itself, which flushes the pages that
 * they changed. The later cost is learnt from the transactions before; what every commit costs, however
 * few its rows, is left out of it, or a slow disk would shrink transactions to nothing.
 */
export function createTransactionSize() {
  let laterMs = LATER_AT_FIRST_MS;
  let commitMs = Number.POSITIVE_INFINITY;
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
      const later = heldMs - rowsMs;
      commitMs = Math.min(commitMs * FORGETTING, later);
      laterMs *= (later - commitMs) / rows > laterMs ? UP : DOWN;
    },
  };
}
