import type { Database } from "../../db/database.ts";
import { lastHoldMs } from "../../db/lock-holds.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import {
  type Given,
  type ImportContext,
  type ImportKind,
  type ReadRow,
  RowFault,
  type RowOutcome,
  type RowWriter,
  readFields,
} from "./import-kind.ts";
import type { Fields, SourceRow } from "./source-row.ts";
import { createTransactionSize, measureCommit } from "./transaction-size.ts";

export interface ImportSummary {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** With `--replace` only. */
  removed?: number;
  /** Handles that moved to another channel; for channels only. */
  handles_moved?: number;
  seconds: number;
}

/** A row that was not imported. */
export interface Reject {
  line: number;
  column: string | null;
  fault: Message;
  /** Null where the line could not be read as a row. */
  fields: Fields | null;
}

export interface ImportRun {
  db: Database;
  clock: Clock;
  context: ImportContext;
  /** Directories only: remove the entries that the file does not name. */
  replace: boolean;
  /** Ends the import after the transaction under way. */
  signal?: AbortSignal;
  onReject(reject: Reject): void;
  /** After each transaction. */
  onProgress(summary: ImportSummary): void;
}

/** Receives the outcome of each row: the counts, and the rejected rows. */
type Told = { summary: ImportSummary } & Pick<ImportRun, "onReject">;

/** Rows read ahead of transactions. */
const BATCH_ROWS = 20_000;
/** Pause between two transactions, so that commits of usage get the lock: they try every millisecond. */
const PAUSE_MS = 3;

/**
 * Upserts rows. A directory's rows are written in one transaction, the others in short ones with
 * pauses, so that a serving process goes on answering. Interrupted at any point it leaves whole
 * rows, and can be run again; once the run's signal is aborted it ends after the next commit.
 */
export async function runImport<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<SourceRow[]>,
  run: ImportRun,
): Promise<ImportSummary> {
  const startedAtMs = run.clock.monotonic();
  const summary: ImportSummary = {
    read: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    seconds: 0,
  };
  const progress = (): void => {
    summary.seconds = Math.round(run.clock.monotonic() - startedAtMs) / 1000;
    run.onProgress(summary);
  };
  if (kind.isDirectory) await importDirectory(kind, rows, run, summary);
  else await importPaced(kind, rows, run, summary, progress);
  progress();
  return summary;
}

async function importPaced<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<SourceRow[]>,
  { db, clock, context, onReject, signal }: ImportRun,
  summary: ImportSummary,
  progress: () => void,
): Promise<void> {
  const writer = kind.open(db, context);
  let batch: SourceRow[] = [];
  let nextAtMs = 0;
  const size = createTransactionSize(await measureCommit(db, clock));
  for await (const some of rows) {
    summary.read += some.length;
    batch = batch.concat(some);
    if (batch.length < BATCH_ROWS) continue;
    await writeBatch();
    if (signal?.aborted === true) return;
    batch = [];
  }
  await writeBatch();
  Object.assign(summary, writer.counts);
  await writer.afterwards?.();

  async function writeBatch(): Promise<void> {
    const rejects: Reject[] = [];
    try {
      const read = readAll(kind, batch);
      await writeAll(writer.arrange?.(read) ?? read, {
        summary,
        onReject: (reject) => rejects.push(reject),
      });
    } finally {
      // In the order of the file's lines, in whatever order the rows were written.
      for (const reject of rejects.toSorted((a, b) => a.line - b.line)) onReject(reject);
    }
  }

  async function writeAll(batch: readonly ReadRow<Row>[], told: Told): Promise<void> {
    let done = 0;
    while (done < batch.length) {
      const waitMs = nextAtMs - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs);
      let [rows, rowsMs] = [0, 0];
      await inTransaction(db, clock, "import", () => {
        const begunMs = clock.monotonic();
        do {
          const written = writeSome(writer, batch, done, told);
          done += written;
          rows += written;
          rowsMs = clock.monotonic() - begunMs;
        } while (done < batch.length && !size.isFull(rows, rowsMs));
        writer.beforeCommit?.();
      });
      size.ended(rows, rowsMs, lastHoldMs(db));
      await writer.afterCommit?.();
      Object.assign(summary, writer.counts);
      nextAtMs = clock.monotonic() + PAUSE_MS;
      progress();
      if (signal?.aborted === true) return;
    }
  }
}

/**
 * With `replace`, entries that the file does not name are removed first, so that their ids are free. If
 * a row is then rejected, all is rolled back and the good rows are written without removing anything:
 * a mistyped file must not cost a directory.
 */
async function importDirectory<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<SourceRow[]>,
  run: ImportRun,
  summary: ImportSummary,
): Promise<void> {
  const { db, clock, context, onReject } = run;
  let all: SourceRow[] = [];
  for await (const some of rows) all = all.concat(some);
  summary.read = all.length;
  if (!run.replace) {
    await attempt(context.note, onReject);
    return;
  }
  if (all.length === 0) {
    throw new AppError("invalid", message("nothingToReplaceBy"));
  }
  const before = { ...summary };
  const notes: Message[] = [];
  const notReplaced = new Error("a row was rejected");
  try {
    await attempt(
      (note) => notes.push(note),
      () => {
        throw notReplaced;
      },
      new Set(all.flatMap((row) => ("fields" in row ? String(row.fields["slug"]) : []))),
    );
    for (const note of notes) context.note(note);
  } catch (error) {
    if (error !== notReplaced) throw error;
    Object.assign(summary, before, { removed: 0 });
    context.note(message("nothingRemoved"));
    await attempt(context.note, onReject);
  }

  async function attempt(
    note: (said: Message) => void,
    reject: (rejected: Reject) => void,
    replacing?: ReadonlySet<string>,
  ): Promise<void> {
    const writer = kind.open(db, { ...context, note });
    const rows = readAll(kind, all);
    const inUse = replacing === undefined ? undefined : writer.inUse?.();
    await inTransaction(db, clock, "import-directory", () => {
      if (replacing !== undefined && inUse !== undefined) {
        summary.removed = writer.removeOthers?.(replacing, inUse) ?? 0;
      }
      for (const row of rows) writeRow(writer, row, { summary, onReject: reject });
      writer.beforeCommit?.();
    });
    await writer.afterwards?.();
  }
}

/** Reads the fields of rows before any lock is taken: that takes a third of an import's time. */
function readAll<Row>({ columns }: ImportKind<Row>, rows: readonly SourceRow[]): ReadRow<Row>[] {
  return rows.map((row) => {
    if ("fault" in row) return { ...row, fields: null, fault: new RowFault(null, row.fault) };
    const { line, fields } = row;
    try {
      return { line, fields, given: readFields(columns, fields) };
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      return { line, fields, fault: error };
    }
  });
}

/** Writes one row or some together. @returns how many */
function writeSome<Row>(
  writer: RowWriter<Row>,
  rows: readonly ReadRow<Row>[],
  at: number,
  told: Told,
): number {
  const some = rows.slice(at, at + (writer.together?.rows ?? 1));
  if (insertTogether(writer, some)) told.summary.inserted += some.length;
  else for (const row of some) writeRow(writer, row, told);
  return some.length;
}

/** Writes several rows by one statement; false, with nothing written, where each needs its own. */
function insertTogether<Row>({ together }: RowWriter<Row>, rows: readonly ReadRow<Row>[]): boolean {
  if (together?.rows !== rows.length) return false;
  const given: Given<Row>[] = [];
  for (const row of rows) {
    if ("fault" in row) return false;
    given.push(row.given);
  }
  try {
    return together.insert(given);
  } catch (error) {
    if (error instanceof RowFault) return false;
    throw error;
  }
}

function writeRow<Row>(
  writer: RowWriter<Row>,
  row: ReadRow<Row>,
  { summary, onReject }: Told,
): void {
  try {
    if ("fault" in row) throw row.fault;
    const outcome: RowOutcome = writer.write(row.given);
    summary[outcome] += 1;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    summary.rejected += 1;
    onReject({ line: row.line, column: error.column, fault: error.fault, fields: row.fields });
  }
}
