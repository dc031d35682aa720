/**
 * Number of rows requested first. An answer contains whole versions, so it has at least the rows that one
 * transaction of another node changed.
 */
export const ROWS_AT_FIRST = 100;
const ROWS_MAX = 500;
/** How long a copying transaction should hold the file's lock. */
const HOLD_MS = 10;

/**
 * Number of rows to request next, from how long the last transaction took: rows of a large file or on a
 * slow disk cost more.
 */
export function rowsToCopyNext(copied: number, heldMs: number): number {
  const fitting = Math.floor((Math.max(1, copied) * HOLD_MS) / heldMs);
  return Math.max(1, Math.min(ROWS_MAX, fitting));
}
