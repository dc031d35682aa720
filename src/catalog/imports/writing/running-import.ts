import { closeSync, writeSync } from "node:fs";
import type { Database, Transaction } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import { inEnglish, type Message } from "../../../values/messages/messages.ts";
import type { ImportContext, ImportKind } from "../kinds/import-kind.ts";
import type { CellRules } from "../kinds/read-cells.ts";
import { stringifyExact } from "../reading/json-rows.ts";
import type { Fields, Recognized } from "../reading/recognized.ts";
import type { ImportSummary, Tally } from "./import-summary.ts";

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
