import { lastHoldMs } from "../../../db/lock-holds.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { ReadRow } from "../kinds/import-kind.ts";
import type { InputRow } from "../reading/input-row.ts";
import { countImport } from "./import-count.ts";
import { changedBy } from "./import-summary.ts";
import type { Reject, RunningImport } from "./running-import.ts";
import { boundsOf, createTransactionSize, measureCommit } from "./transaction-size.ts";
import { readAll, writeSome } from "./write-rows.ts";

/**
 * Rows read ahead of transactions, unless the kind sets another number. Rows that refresh channels are
 * sorted by subscribers, so that each transaction changes most of the table's pages that its batch has; a
 * batch of twice as many rows would have twice as many pages.
 */
const BATCH_ROWS = 5_000;
/** Characters of text read ahead, at most: an import's memory is a small multiple of it. */
const BATCH_CHARACTERS = 16 * 1024 ** 2;
/** Pause between two transactions, so that commits of usage get the lock: they try every millisecond. */
const PAUSE_MS = 3;

/** Writes rows in short transactions with pauses between them, batch by batch as they are read. */
export async function importPaced<Row>(
  rows: AsyncIterable<InputRow[]>,
  run: RunningImport<Row>,
): Promise<void> {
  const { db, clock, signal, kind, summary } = run;
  const writer = kind.open(db, run.context);
  let batch: InputRow[] = [];
  let characters = 0;
  let nextAtMs = 0;
  /** Rows in the last transaction: the next one has about as many. */
  let lastRows = 0;
  const size = createTransactionSize(await measureCommit(db, clock), boundsOf(db));
  for await (const some of rows) {
    summary.read += some.length;
    batch = batch.concat(some);
    for (const row of some) characters += charactersOf(row);
    if (batch.length < (writer.batchRows ?? BATCH_ROWS) && characters < BATCH_CHARACTERS) continue;
    await writeBatch();
    if (signal?.aborted === true) return writer.interrupted?.();
    [batch, characters] = [[], 0];
  }
  await writeBatch();
  Object.assign(summary, writer.counts);
  await writer.afterwards?.();

  async function writeBatch(): Promise<void> {
    const rejects: Reject[] = [];
    try {
      const read = readAll(kind, batch, run.cells);
      const onReject = (reject: Reject): void => void rejects.push(reject);
      await writeAll(writer.arrange?.(read) ?? read, { ...run, onReject });
    } finally {
      // In the file's order, whatever order the rows were written in.
      for (const reject of rejects.toSorted((a, b) => a.line - b.line)) run.onReject(reject);
    }
  }

  async function writeAll(
    batch: readonly ReadRow<Row>[],
    ofBatch: RunningImport<Row>,
  ): Promise<void> {
    let done = 0;
    while (done < batch.length) {
      writer.ahead?.(batch.slice(done, done + lastRows));
      const waitMs = nextAtMs - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs);
      let [rows, rowsMs] = [0, 0];
      const changedBefore = changedBy(summary);
      await inTransaction(db, clock, "import", (tx) => {
        run.requireWanted?.(tx);
        const begunMs = clock.monotonic();
        do {
          const written = writeSome(ofBatch, writer, batch, done);
          done += written;
          rows += written;
          rowsMs = clock.monotonic() - begunMs;
        } while (done < batch.length && !size.isFull(rows, rowsMs, writer.fewest?.()));
        writer.beforeCommit?.();
        if (kind.isMeasured && changedBy(summary) > changedBefore) countImport(tx);
      });
      size.ended(rows, rowsMs, lastHoldMs(db));
      lastRows = rows;
      await writer.afterCommit?.();
      Object.assign(summary, writer.counts);
      nextAtMs = clock.monotonic() + PAUSE_MS;
      run.progress();
      if (signal?.aborted === true) return;
    }
  }
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
