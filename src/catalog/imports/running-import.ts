import type { Database, Transaction } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../values/messages/messages.ts";
import type { ImportContext, ImportKind } from "./import-kind.ts";
import type { ImportSummary } from "./import-summary.ts";
import type { Fields } from "./input-row.ts";
import type { CellRules } from "./read-cells.ts";
import type { Recognized } from "./recognized.ts";
import type { Tally } from "./tally.ts";

/** A row that was not imported. */
export interface Reject {
  line: number;
  column: string | null;
  fault: Message;
  /** Null where the line could not be read as a row. */
  fields: Fields | null;
}

/** An import as its caller wants it. */
export interface ImportRun {
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

/** An import under way, with what came of its rows so far. */
export interface RunningImport<Row> extends Omit<ImportRun, "onProgress"> {
  kind: ImportKind<Row>;
  cells: CellRules;
  summary: ImportSummary;
  rejects: Tally;
  warnings: Tally;
  /** To be called after each transaction. */
  progress(): void;
}
