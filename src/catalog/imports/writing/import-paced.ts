import type { Database } from "../../../db/database.ts";
import { lastHoldMs } from "../../../db/lock.ts";
import { rewriteMeta } from "../../../db/meta.ts";
import { sharedRowsOf } from "../../../db/shared-rows.ts";
import { inSlice, inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ReadRow, RowWriter } from "../kinds/import-kind.ts";
import type { InputRow } from "../reading/recognized.ts";
import { changedBy, countImport, isHopeless } from "./import-summary.ts";
import { type Reject, type RunningImport, readAll, writeSome } from "./write-rows.ts";

/**
 * Rows read ahead of transactions, unless the kind sets another number. Rows that refresh channels are
 * sorted by subscribers, so that each transaction changes most of the table's pages that its batch has; a
 * batch of twice as many rows would have twice as many pages.
 */
const BATCH_ROWS = 5_000;
/** Characters of text read ahead, at most: an import's memory is a small multiple of it. */
const BATCH_CHARACTERS = 16 * 1024 ** 2;

/** Writes rows in short transactions that give way to others, batch by batch as they are read. */
export async function importPaced<Row>(
  rows: AsyncIterable<InputRow[]>,
  run: RunningImport<Row>,
): Promise<void> {
  const { db, clock, signal, kind, summary } = run;
  const writer = kind.open(db, run.context);
  const size = createTransactionSize(await measureCommit(db, clock), boundsOf(db));
  const pace: Pace = { size, lastRows: 0 };
  for await (const batch of batchesOf(rows, writer.batchRows ?? BATCH_ROWS)) {
    summary.read += batch.length;
    await writeBatch(batch, run, writer, pace);
    if (signal?.aborted === true) return writer.interrupted?.();
    if (isHopeless(summary)) break;
  }
  Object.assign(summary, writer.counts);
  await writer.afterwards?.();
}

/** Rows in batches of `rowsMax` or somewhat more, or of fewer if they have much text. */
async function* batchesOf(
  parts: AsyncIterable<InputRow[]>,
  rowsMax: number,
): AsyncGenerator<InputRow[]> {
  let batch: InputRow[] = [];
  let characters = 0;
  for await (const rows of parts) {
    batch = batch.concat(rows);
    for (const row of rows) characters += charactersOf(row);
    if (batch.length < rowsMax && characters < BATCH_CHARACTERS) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function charactersOf(row: InputRow): number {
  if ("fault" in row) return 0;
  let characters = 0;
  for (const name in row.fields) {
    const cell = row.fields[name];
    if (typeof cell === "string") characters += cell.length;
  }
  return characters;
}

interface Pace {
  size: TransactionSize;
  /** Rows in the last transaction: the next one has about as many. */
  lastRows: number;
}

async function writeBatch<Row>(
  batch: readonly InputRow[],
  run: RunningImport<Row>,
  writer: RowWriter<Row>,
  pace: Pace,
): Promise<void> {
  const rejects: Reject[] = [];
  try {
    const read = readAll(run.kind, batch, run.cells);
    const onReject = (reject: Reject): void => void rejects.push(reject);
    await writeAll(writer.arrange?.(read) ?? read, { ...run, onReject }, writer, pace);
  } finally {
    // In the file's order, whatever order the rows were written in.
    for (const reject of rejects.toSorted((a, b) => a.line - b.line)) run.onReject(reject);
  }
}

/** Writes a batch in as many transactions as it takes, or until the import is interrupted. */
async function writeAll<Row>(
  rows: readonly ReadRow<Row>[],
  run: RunningImport<Row>,
  writer: RowWriter<Row>,
  pace: Pace,
): Promise<void> {
  const { signal, summary } = run;
  for (let done = 0; done < rows.length; ) {
    writer.ahead?.(rows.slice(done, done + pace.lastRows));
    pace.lastRows = await writeTransaction(rows, done, run, writer, pace.size);
    done += pace.lastRows;
    await writer.afterCommit?.();
    Object.assign(summary, writer.counts);
    run.progress();
    if (signal?.aborted === true) return;
  }
}

/** Writes as many of the rows as one transaction should have. @returns how many */
async function writeTransaction<Row>(
  rows: readonly ReadRow<Row>[],
  from: number,
  run: RunningImport<Row>,
  writer: RowWriter<Row>,
  size: TransactionSize,
): Promise<number> {
  const { db, clock, kind, summary } = run;
  let written = 0;
  let rowsMs = 0;
  const changedBefore = changedBy(summary);
  await inSlice(db, clock, "import", (tx) => {
    run.requireWanted?.(tx);
    const begunMs = clock.monotonic();
    do {
      written += writeSome(run, writer, rows, from + written);
      rowsMs = clock.monotonic() - begunMs;
    } while (from + written < rows.length && !size.isFull(written, rowsMs, writer.minimumSize?.()));
    writer.beforeCommit?.();
    if (kind.isMeasured && changedBy(summary) > changedBefore) countImport(tx);
  });
  size.ended(written, rowsMs, lastHoldMs(db));
  return written;
}

interface TransactionBounds {
  /** How long a transaction should hold the lock, which other writers (usage) wait for. */
  holdMs: number;
  /** Minimum rows per transaction, however slow the storage, so that an import ends some day. */
  rowsMin: number;
}

const USUAL: TransactionBounds = { holdMs: 8, rowsMin: 20 };
/**
 * Bounds on a node of a cluster, where usage does not wait for the file. Each commit waits for its turn
 * among all nodes and for PostgreSQL's flush, from 1 to 20 ms. With a lower minimum, the slow commits were
 * taken for the cost of rows: transactions shrank to 20 rows, and an import took 3 times as long. 200 rows
 * take some 20 ms.
 */
export const ON_NODE: TransactionBounds = { holdMs: 30, rowsMin: 200 };

/** Minimum size of a transaction: a number of rows, or fewer if writing them takes some milliseconds. */
export interface MinimumSize {
  rows: number;
  rowsMs: number;
}

const MINIMUM: MinimumSize = { rows: 0, rowsMs: 20 };
/**
 * For posts that are indexed for search; these take some 10 ms. FTS5 writes a segment per transaction: in
 * transactions of 25 posts, each post costs twice as much, which would shrink transactions even further.
 */
export const INDEXED_MINIMUM: MinimumSize = { ...MINIMUM, rows: 64 };
/** Initial guess, deliberately high, of a row's later cost. */
const LATER_AT_FIRST_MS = 0.05;
/**
 * Factors by which the guess of the later cost rises after a transaction whose rows cost more, and falls
 * after others. It thus settles near the median; a mean would follow each slow moment of the disk.
 */
const UP = 1.15;
const DOWN = 0.9;

/** Measures a nearly empty commit on this storage: the better of two, in milliseconds. */
async function measureCommit(db: Database, clock: Clock): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 2; tries++) {
    await inTransaction(db, clock, "import", rewriteMeta);
    bestMs = Math.min(bestMs, lastHoldMs(db));
  }
  return bestMs;
}

/** Bounds for an import's transactions on this connection. */
function boundsOf(db: Database): TransactionBounds {
  return sharedRowsOf(db) === null ? USUAL : ON_NODE;
}

type TransactionSize = ReturnType<typeof createTransactionSize>;

/**
 * Decides when a transaction has enough rows. Rows cost twice: when they are written, and later, in what is
 * written before the commit (indexes, cards) and in the commit itself, which flushes the pages they
 * changed. The later cost is learnt from previous transactions.
 * @param commitMs cost of any commit, however few its rows: not attributed to rows, or a slow disk would
 * shrink transactions to nothing
 */
export function createTransactionSize(commitMs: number, { holdMs, rowsMin: usual } = USUAL) {
  let laterMs = LATER_AT_FIRST_MS;
  return {
    /**
     * @param sinceMs how long the transaction has been writing rows
     * @param minimum minimum for such rows, if above the usual one
     */
    isFull: (rows: number, sinceMs: number, minimum = MINIMUM): boolean =>
      (rows >= Math.max(minimum.rows, usual) || sinceMs >= minimum.rowsMs) &&
      sinceMs + rows * laterMs >= holdMs,

    /**
     * Called after a commit; times are in milliseconds since the transaction's beginning.
     * @param rowsMs until its last row
     * @param heldMs until the end of the commit
     */
    ended(rows: number, rowsMs: number, heldMs: number): void {
      laterMs *= (heldMs - rowsMs - commitMs) / rows > laterMs ? UP : DOWN;
    },
  };
}
