/**
 * How many rows are asked for first. Each answer has those of whole versions, so the least that a transaction
 * copies is what another node's transaction changed.
 */
export const ROWS_AT_FIRST = 100;
const ROWS_MAX = 500;
/** How long a transaction that copies should hold the file's lock. */
const HOLD_MS = 10;

/** Rows to be asked for next, by what a transaction's took: those of a large file or a slow disk cost more. */
export function rowsToCopyNext(copied: number, heldMs: number): number {
  const fitting = Math.floor((Math.max(1, copied) * HOLD_MS) / heldMs);
  return Math.max(1, Math.min(ROWS_MAX, fitting));
}
