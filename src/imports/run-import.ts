import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import {
  type ImportContext,
  type ImportKind,
  RowFault,
  type RowOutcome,
  type RowWriter,
  readFields,
} from "./import-kind.ts";
import type { Fields, SourceRow } from "./rows.ts";

export interface ImportSummary {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** With `--replace` only. */
  removed?: number;
  seconds: number;
}

/** A row that was not imported. */
export interface Reject {
  line: number;
  column: string | null;
  reason: string;
  /** Null where the line could not be read as a row. */
  fields: Fields | null;
}

export interface ImportRun {
  db: Database;
  clock: Clock;
  context: ImportContext;
  /** Directories only: remove the entries that the file does not name. */
  replace: boolean;
  onReject(reject: Reject): void;
  /** After each transaction. */
  onProgress(summary: ImportSummary): void;
}

/** Rows read ahead of a transaction. */
const BATCH_ROWS = 500;
/** A transaction ends after this long, since other writers (usage) wait for the lock. */
const TRANSACTION_MS = 20;
/** Between two transactions: a waiting writer looks every millisecond. */
const PAUSE_MS = 2;

/**
 * Upserts rows in short transactions with pauses, so that a serving process goes on answering; a
 * directory's rows in one. Interrupted at any point it leaves whole rows, and can be run again.
 */
export async function runImport<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<SourceRow>,
  run: ImportRun,
): Promise<ImportSummary> {
  const { db, clock, context } = run;
  const startedAtMs = clock.monotonic();
  const summary: ImportSummary = {
    read: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    seconds: 0,
  };
  const writer = kind.open(db, context);
  const progress = (): void => {
    summary.seconds = Math.round(clock.monotonic() - startedAtMs) / 1000;
    run.onProgress(summary);
  };
  const writeOne = (row: SourceRow): void => writeRow(kind, writer, row, summary, run.onReject);

  let batch: SourceRow[] = [];
  for await (const row of rows) {
    summary.read += 1;
    batch.push(row);
    if (batch.length < BATCH_ROWS || kind.isDirectory) continue;
    await writeBatch(batch);
    batch = [];
  }
  if (run.replace && summary.read === 0) {
    throw new AppError("invalid", "The file has no rows: replacing by it would remove all.");
  }
  await writeBatch(batch);
  await writer.afterwards?.();
  progress();
  return summary;

  async function writeBatch(batch: readonly SourceRow[]): Promise<void> {
    let done = 0;
    while (done < batch.length) {
      await inTransaction(db, clock, () => {
        const endAtMs = kind.isDirectory ? Infinity : clock.monotonic() + TRANSACTION_MS;
        if (run.replace && kind.isDirectory) removeOthers(batch);
        do writeOne(batch[done++] as SourceRow);
        while (done < batch.length && clock.monotonic() < endAtMs);
        writer.beforeCommit?.();
      });
      progress();
      await clock.sleep(PAUSE_MS);
    }
  }

  function removeOthers(rows: readonly SourceRow[]): void {
    const slugs = rows.map((row) => ("fields" in row ? row.fields["slug"] : undefined));
    const named = slugs.filter((slug) => typeof slug === "string");
    if (named.length < slugs.length) {
      context.note("Nothing is removed, since a row names no slug.");
      summary.removed = 0;
    } else {
      summary.removed = writer.removeOthers?.(new Set(named)) ?? 0;
    }
  }
}

function writeRow<Row>(
  kind: ImportKind<Row>,
  writer: RowWriter<Row>,
  row: SourceRow,
  summary: ImportSummary,
  onReject: (reject: Reject) => void,
): void {
  try {
    if ("fault" in row) throw new RowFault(null, row.fault);
    const outcome: RowOutcome = writer.write(readFields(kind.columns, row.fields));
    summary[outcome] += 1;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    summary.rejected += 1;
    const fields = "fields" in row ? row.fields : null;
    onReject({ line: row.line, column: error.column, reason: error.reason, fields });
  }
}
