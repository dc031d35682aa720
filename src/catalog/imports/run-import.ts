import type { Database, Transaction } from "../../db/database.ts";
import { lastHoldMs } from "../../db/lock-holds.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { countImport } from "./import-count.ts";
import {
  type BadCell,
  type Given,
  type ImportContext,
  type ImportKind,
  type ReadRow,
  RowFault,
  type RowOutcome,
  type RowWriter,
} from "./import-kind.ts";
import { type CellRules, isOptional, readCells } from "./read-cells.ts";
import type { Recognized } from "./recognized.ts";
import type { Fields, SourceRow } from "./source-row.ts";
import { createTally, type ReasonGroup, type Tally } from "./tally.ts";
import { boundsOf, createTransactionSize, measureCommit } from "./transaction-size.ts";

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
  recognized: Recognized;
  /** Rejected rows by column and reason. */
  rejects: ReasonGroup[];
  /** Cells that were left out of their rows, by column and reason, and what is odd about the file. */
  warnings: ReasonGroup[];
}

/** A row that was not imported. */
export interface Reject {
  line: number;
  column: string | null;
  fault: Message;
  /** Null where the line could not be read as a row. */
  fields: Fields | null;
}

interface ImportRun {
  db: Database;
  clock: Clock;
  context: ImportContext;
  /** How the file is read; filled in by the reading of its rows. */
  recognized: Recognized;
  cells: Omit<CellRules, "messengerHosts">;
  /** Directories only: remove the entries that the file does not name. */
  replace: boolean;
  /** Ends the import after the transaction under way. */
  signal?: AbortSignal;
  /** Called in each transaction before its first row; what it throws ends the import. */
  requireWanted?(tx: Transaction): void;
  onReject(reject: Reject): void;
  /** After each transaction. */
  onProgress(summary: ImportSummary): void;
}

/** Receives the outcome of each row: the counts, and what was rejected or left out. */
interface Told extends Pick<ImportRun, "onReject"> {
  summary: ImportSummary;
  cells: CellRules;
  rejects: Tally;
  warnings: Tally;
}

/**
 * Rows read ahead of transactions, where the kind says no other number. Of twice as many, those that refresh
 * channels lie in twice as many pages of the table, most of which each transaction changes.
 */
const BATCH_ROWS = 5_000;
/** Text of rows that are read ahead: an import's memory is some times as much. */
const BATCH_CHARACTERS = 16 * 1024 ** 2;
/** Pause between two transactions, so that commits of usage get the lock: they try every millisecond. */
const PAUSE_MS = 3;

/**
 * Upserts rows. A directory's rows are written in one transaction, the others in short ones with
 * pauses, so that a serving process goes on answering. Interrupted at any point it leaves whole
 * rows, and can be run again; once the run's signal is aborted it ends after the next commit.
 * @throws whatever `requireWanted` throws
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
    recognized: run.recognized,
    rejects: [],
    warnings: [],
  };
  const { onReject, context } = run;
  const cells = { ...run.cells, messengerHosts: context.messengerHosts };
  const told = { summary, cells, onReject, rejects: createTally(), warnings: createTally() };
  const progress = (): void => {
    summary.seconds = Math.round(run.clock.monotonic() - startedAtMs) / 1000;
    summary.rejects = told.rejects.groups();
    summary.warnings = [...warningsOf(run.recognized), ...told.warnings.groups()];
    run.onProgress(summary);
  };
  if (kind.isDirectory) await importDirectory(kind, rows, run, told);
  else await importPaced(kind, rows, run, told, progress);
  progress();
  return summary;
}

function warningsOf({ encoding }: Recognized): ReasonGroup[] {
  if (encoding !== "Windows-1251") return [];
  return [{ column: null, fault: message("readAsWindows1251"), count: 1, line: null, value: null }];
}

async function importPaced<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<SourceRow[]>,
  { db, clock, context, signal, requireWanted }: ImportRun,
  told: Told,
  progress: () => void,
): Promise<void> {
  const writer = kind.open(db, context);
  let batch: SourceRow[] = [];
  let characters = 0;
  let nextAtMs = 0;
  /** Rows of the last transaction: the next one has about as many. */
  let lastRows = 0;
  const size = createTransactionSize(await measureCommit(db, clock), boundsOf(db));
  for await (const some of rows) {
    told.summary.read += some.length;
    batch = batch.concat(some);
    for (const row of some) characters += charactersOf(row);
    if (batch.length < (writer.batchRows ?? BATCH_ROWS) && characters < BATCH_CHARACTERS) continue;
    await writeBatch();
    if (signal?.aborted === true) return writer.interrupted?.();
    [batch, characters] = [[], 0];
  }
  await writeBatch();
  Object.assign(told.summary, writer.counts);
  await writer.afterwards?.();

  async function writeBatch(): Promise<void> {
    const rejects: Reject[] = [];
    try {
      const read = readAll(kind, batch, told.cells);
      const onReject = (reject: Reject): void => void rejects.push(reject);
      await writeAll(writer.arrange?.(read) ?? read, { ...told, onReject });
    } finally {
      // In the order of the file's lines, in whatever order the rows were written.
      for (const reject of rejects.toSorted((a, b) => a.line - b.line)) told.onReject(reject);
    }
  }

  async function writeAll(batch: readonly ReadRow<Row>[], told: Told): Promise<void> {
    let done = 0;
    while (done < batch.length) {
      writer.ahead?.(batch.slice(done, done + lastRows));
      const waitMs = nextAtMs - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs);
      let [rows, rowsMs] = [0, 0];
      const changedBefore = changedBy(told.summary);
      await inTransaction(db, clock, "import", (tx) => {
        requireWanted?.(tx);
        const begunMs = clock.monotonic();
        do {
          const written = writeSome(kind, writer, batch, done, told);
          done += written;
          rows += written;
          rowsMs = clock.monotonic() - begunMs;
        } while (done < batch.length && !size.isFull(rows, rowsMs, writer.fewest?.()));
        writer.beforeCommit?.();
        if (kind.isMeasured && changedBy(told.summary) > changedBefore) countImport(tx);
      });
      size.ended(rows, rowsMs, lastHoldMs(db));
      lastRows = rows;
      await writer.afterCommit?.();
      Object.assign(told.summary, writer.counts);
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
  told: Told,
): Promise<void> {
  const { db, clock, context, onReject } = run;
  const { summary } = told;
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
    told.rejects.clear();
    told.warnings.clear();
    context.note(message("nothingRemoved"));
    await attempt(context.note, onReject);
  }

  async function attempt(
    note: (said: Message) => void,
    reject: (rejected: Reject) => void,
    replacing?: ReadonlySet<string>,
  ): Promise<void> {
    const writer = kind.open(db, { ...context, note });
    const rows = readAll(kind, all, told.cells);
    const inUse = replacing === undefined ? undefined : writer.inUse?.();
    await inTransaction(db, clock, "import-directory", (tx) => {
      run.requireWanted?.(tx);
      if (replacing !== undefined && inUse !== undefined) {
        summary.removed = writer.removeOthers?.(replacing, inUse) ?? 0;
      }
      for (const row of rows) writeRow(kind, writer, row, { ...told, onReject: reject });
      writer.beforeCommit?.();
    });
    await writer.afterwards?.();
  }
}

function changedBy({ inserted, updated }: ImportSummary): number {
  return inserted + updated;
}

function charactersOf(row: SourceRow): number {
  if ("fault" in row) return 0;
  let characters = 0;
  for (const name in row.fields) {
    const cell = row.fields[name];
    if (typeof cell === "string") characters += cell.length;
  }
  return characters;
}

/** Reads the cells of rows before any lock is taken: that takes a third of an import's time. */
function readAll<Row>(
  kind: ImportKind<Row>,
  rows: readonly SourceRow[],
  rules: CellRules,
): ReadRow<Row>[] {
  return rows.map((row) => {
    if ("fault" in row) {
      return { line: row.line, fields: null, fault: new RowFault(null, row.fault) };
    }
    const { line, fields } = row;
    const bad: BadCell[] = [];
    try {
      return { line, fields, given: readCells(kind, fields, rules, bad), bad };
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      return { line, fields, fault: error };
    }
  });
}

/** Writes one row or some together. @returns how many */
function writeSome<Row>(
  kind: ImportKind<Row>,
  writer: RowWriter<Row>,
  rows: readonly ReadRow<Row>[],
  at: number,
  told: Told,
): number {
  const some = rows.slice(at, at + (writer.together?.rows ?? 1));
  if (insertTogether(writer, some)) told.summary.inserted += some.length;
  else for (const row of some) writeRow(kind, writer, row, told);
  return some.length;
}

/** Writes several rows by one statement; false, with nothing written, where each needs its own. */
function insertTogether<Row>({ together }: RowWriter<Row>, rows: readonly ReadRow<Row>[]): boolean {
  if (together?.rows !== rows.length) return false;
  const given: Given<Row>[] = [];
  for (const row of rows) {
    // A bad cell is told with the row that has it.
    if ("fault" in row || row.bad.length > 0) return false;
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
  kind: ImportKind<Row>,
  writer: RowWriter<Row>,
  row: ReadRow<Row>,
  { summary, onReject, cells, rejects, warnings }: Told,
): void {
  const { fields } = row;
  const cell = (column: string | null): unknown => (column === null ? null : fields?.[column]);
  try {
    if ("fault" in row) throw row.fault;
    const bad = [...row.bad];
    summary[writeWithout(kind, writer, row.given, cells, bad)] += 1;
    for (const { column, fault } of bad) warnings.add(column, fault, row.line, cell(column));
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    const { column, fault } = error;
    summary.rejected += 1;
    rejects.add(column, fault, row.line, cell(column));
    onReject({ line: row.line, column, fault, fields });
  }
}

/** Writes a row, without the optional cells that the database shows to be bad, such as an unknown code. */
export function writeWithout<Row>(
  kind: ImportKind<Row>,
  writer: RowWriter<Row>,
  given: Given<Row>,
  rules: CellRules,
  bad: BadCell[],
): RowOutcome {
  for (;;) {
    try {
      return writer.write(given);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      const { column, fault } = error;
      if (!isOptional(kind, column, rules) || given[column as keyof Row] == null) throw error;
      delete given[column as keyof Row];
      bad.push({ column, fault });
    }
  }
}
