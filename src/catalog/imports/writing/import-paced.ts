import { lastHoldMs } from "../../../db/lock-holds.ts";
import { inSlice } from "../../../db/transaction.ts";
import type { ReadRow, RowWriter } from "../kinds/import-kind.ts";
import type { InputRow } from "../reading/input-row.ts";
import { countImport } from "./import-count.ts";
import { changedBy, isHopeless } from "./import-summary.ts";
import type { Reject, RunningImport } from "./running-import.ts";
import {
  boundsOf,
  createTransactionSize,
  measureCommit,
  type TransactionSize,
} from "./transaction-size.ts";
import { readAll, writeSome } from "./write-rows.ts";

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
