import { clusterOf } from "../../db/cluster/link.ts";
import type { Database } from "../../db/database.ts";
import { lastHoldMs } from "../../db/lock-holds.ts";
import { rewriteMeta } from "../../db/meta.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * How long a transaction of an import should hold the lock, for which other writers (usage) wait.
 */
const HOLD_MS = 8;
/** Rows that a transaction has at least, however slow the storage is, so that an import ends some day. */
const ROWS_MIN = 20;

interface TransactionBounds {
  holdMs: number;
  rowsMin: number;
}

const USUAL: TransactionBounds = { holdMs: HOLD_MS, rowsMin: ROWS_MIN };
/**
 * On a node of a cluster usage waits for no file, and each commit is a turn of all nodes and PostgreSQL's
 * flush. That takes now 1 ms and now 20: with fewer rows at least, what was learnt from it of the rows' cost
 * shrank transactions to 20 rows, and an import took 3 times as long. 200 rows take some 20 ms.
 */
export const ON_NODE: TransactionBounds = { holdMs: 30, rowsMin: 200 };

/** The least that a transaction has: so many rows, or as many as take so many milliseconds where rows are long. */
export interface Fewest {
  rows: number;
  rowsMs: number;
}

const FEWEST: Fewest = { rows: 0, rowsMs: 20 };
/**
 * Where rows only refresh numbers: some 12 ms. With fewer, each of them writes more to the log, since one
 * page of an index stands there once for all rows of a transaction: on a busy machine, beside a server,
 * 2,900 to 3,900 bytes a row in all, and 3,600 to 4,500 with 600 rows within 20 ms.
 */
export const FEWEST_REFRESHED: Fewest = { rows: 1_000, rowsMs: 30 };
/**
 * Where posts are indexed: some 10 ms, in which the pause before it reads their texts. FTS5 writes a segment for each
 * transaction: those of 25 posts take twice as long for each, and would only become smaller still.
 */
export const FEWEST_INDEXED: Fewest = { ...FEWEST, rows: 96 };
/** The first guess of a row's later cost: a high one. */
const LATER_AT_FIRST_MS = 0.05;
/**
 * Factors by which the guess of the later cost goes up after a transaction whose rows cost more, and down
 * after the others. So it settles near the median; a mean would follow each slow moment of the disk.
 */
const UP = 1.15;
const DOWN = 0.9;

/** Measures the cost of a nearly empty commit on this storage: the better of two, in milliseconds. */
export async function measureCommit(db: Database, clock: Clock): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 2; tries++) {
    await inTransaction(db, clock, "import", rewriteMeta);
    bestMs = Math.min(bestMs, lastHoldMs(db));
  }
  return bestMs;
}

/** Bounds of an import's transactions on this connection. */
export function boundsOf(db: Database): TransactionBounds {
  return clusterOf(db) === null ? USUAL : ON_NODE;
}

/**
 * Says when a transaction has enough rows. Rows cost twice: when they are written, and later, in what is
 * written before the commit (indexes, cards) and in the commit itself, which flushes the pages that
 * they changed. The later cost is learnt from the transactions before.
 * @param commitMs what each commit costs, however few its rows: it is left out of the rows' cost, or a
 *   slow disk would shrink transactions to nothing
 */
export function createTransactionSize(commitMs: number, { holdMs, rowsMin: usual } = USUAL) {
  let laterMs = LATER_AT_FIRST_MS;
  return {
    /**
     * @param sinceMs how long the transaction has been writing rows
     * @param fewest the least that a transaction of such rows has; never fewer rows than usual
     */
    isFull: (rows: number, sinceMs: number, fewest = FEWEST): boolean =>
      (rows >= Math.max(fewest.rows, usual) || sinceMs >= fewest.rowsMs) &&
      sinceMs + rows * laterMs >= holdMs,

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
