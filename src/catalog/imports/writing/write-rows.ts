import { closeSync, writeSync } from "node:fs";
import type { Database, Transaction } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import { inEnglish, type Message } from "../../../values/messages/messages.ts";
import type {
  BadCell,
  Given,
  ImportContext,
  ImportKind,
  ReadRow,
  RowOutcome,
  RowWriter,
} from "../kinds/import-kind.ts";
import { KeptOut, RowFault } from "../kinds/import-kind.ts";
import { type CellRules, isOptional, readCells } from "../kinds/read-cells.ts";
import { stringifyExact } from "../reading/json-rows.ts";
import type { Fields, InputRow, Recognized } from "../reading/recognized.ts";
import type { ReadingOptions } from "../reading/rows.ts";
import type { ImportSummary, Tally } from "./import-summary.ts";

/** Reads the cells of rows. That is a third of an import's time, so it is done before any lock is taken. */
export function readAll<Row>(
  kind: ImportKind<Row>,
  rows: readonly InputRow[],
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

/** @returns how many rows were written, one or several together */
export function writeSome<Row>(
  run: RunningImport<Row>,
  writer: RowWriter<Row>,
  rows: readonly ReadRow<Row>[],
  at: number,
): number {
  const some = rows.slice(at, at + (writer.together?.rows ?? 1));
  if (insertTogether(writer, some)) run.summary.inserted += some.length;
  else for (const row of some) writeRow(run, writer, row);
  return some.length;
}

/** Writes several rows in one statement; false, with nothing written, if they need separate ones. */
function insertTogether<Row>({ together }: RowWriter<Row>, rows: readonly ReadRow<Row>[]): boolean {
  if (together?.rows !== rows.length) return false;
  const given: Given<Row>[] = [];
  for (const row of rows) {
    // A dropped cell must be reported with its row.
    if ("fault" in row || row.bad.length > 0) return false;
    given.push(row.given);
  }
  try {
    return together.insert(given);
  } catch (error) {
    if (error instanceof RowFault || error instanceof KeptOut) return false;
    throw error;
  }
}

type Counted = "kind" | "cells" | "summary" | "onReject" | "rejects" | "warnings";

export interface WrittenRow {
  outcome: RowOutcome | "rejected";
  /** Why it was rejected, or which of its cells were left out, and why; empty if nothing was wrong. */
  faults: readonly { column: string | null; fault: Message }[];
}

/** Writes a row without its bad optional cells, some of which only the database knows, such as an unknown code. */
export function writtenRow<Row>(
  kind: ImportKind<Row>,
  writer: RowWriter<Row>,
  row: ReadRow<Row>,
  rules: CellRules,
): WrittenRow {
  const rejected = ({ column, fault }: RowFault): WrittenRow => ({
    outcome: "rejected",
    faults: [{ column, fault }],
  });
  if ("fault" in row) return rejected(row.fault);
  const { given } = row;
  const faults: BadCell[] = [...row.bad];
  for (;;) {
    try {
      return { outcome: writer.write(given), faults };
    } catch (error) {
      if (error instanceof KeptOut) return { outcome: "kept_out", faults };
      if (!(error instanceof RowFault)) throw error;
      const { column, fault } = error;
      if (!isOptional(kind, column, rules) || given[column as keyof Row] == null) {
        return rejected(error);
      }
      delete given[column as keyof Row];
      faults.push({ column, fault });
    }
  }
}

/** Writes a row, and counts what became of it. */
export function writeRow<Row>(
  { kind, cells, summary, onReject, rejects, warnings }: Pick<RunningImport<Row>, Counted>,
  writer: RowWriter<Row>,
  row: ReadRow<Row>,
): void {
  const { line, fields } = row;
  const { outcome, faults } = writtenRow(kind, writer, row, cells);
  const isRejected = outcome === "rejected";
  summary[outcome] += 1;
  for (const { column, fault } of faults) {
    const cell = column === null ? null : fields?.[column];
    (isRejected ? rejects : warnings).add(column, fault, line, cell);
    if (isRejected) onReject({ line, column, fault, fields });
  }
}

export interface Reject {
  line: number;
  column: string | null;
  fault: Message;
  /** Null if the line could not be read as a row. */
  fields: Fields | null;
}

export interface ImportRun {
  db: Database;
  clock: Clock;
  context: ImportContext;
  /** How the file is read; filled in while reading. */
  recognized: Recognized;
  cells: Omit<CellRules, "messengerHosts">;
  replace: boolean;
  /** Ends the import after the current transaction. */
  signal?: AbortSignal;
  /** Called in each transaction before its first row; if it throws, the import ends. */
  requireWanted?(tx: Transaction): void;
  onReject(reject: Reject): void;
  onProgress(summary: ImportSummary): void;
}

export interface RunningImport<Row> extends Omit<ImportRun, "onProgress"> {
  kind: ImportKind<Row>;
  cells: CellRules;
  summary: ImportSummary;
  rejects: Tally;
  warnings: Tally;
  progress(): void;
}

export type RejectsWriter = ReturnType<typeof createRejectsWriter>;

/**
 * Writes rejected rows to a file as NDJSON: line, column, reason and the row's fields.
 * @param open opens the file; called for the first row
 * @param bytesMax a row that would exceed it, and all after it, are omitted
 */
export function createRejectsWriter(open: () => number, bytesMax: number) {
  let file: number | null = null;
  let kept = 0;
  let bytes = 0;
  let isFull = false;
  return {
    add({ line, column, fault, fields }: Reject): void {
      const head = JSON.stringify({ line, column, reason: inEnglish(fault) }).slice(0, -1);
      const content = Buffer.from(`${head},"fields":${stringifyExact(fields)}}\n`);
      isFull ||= bytes + content.byteLength > bytesMax;
      if (isFull) return;
      file ??= open();
      writeSync(file, content);
      bytes += content.byteLength;
      kept += 1;
    },
    kept: (): number => kept,

    close(): void {
      if (file !== null) closeSync(file);
    },
  };
}

export interface ImportOptions {
  reading: ReadingOptions;
  timezone: string;
  strict: boolean;
}

export interface UploadOptions extends ImportOptions {
  /** Whether to only report what would happen, trying it on a copy of the database. */
  dryRun: boolean;
  replace: boolean;
}
