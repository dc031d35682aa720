import type { Database, Transaction } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Message } from "../../../values/messages/messages.ts";
import type { ImportContext, ImportKind } from "../kinds/import-kind.ts";
import type { CellRules } from "../kinds/read-cells.ts";
import type { Fields } from "../reading/input-row.ts";
import type { Recognized } from "../reading/recognized.ts";
import type { ImportSummary } from "./import-summary.ts";
import type { Tally } from "./tally.ts";

/** A row that was not imported. */
export interface Reject {
  line: number;
  column: string | null;
  fault: Message;
  /** Null if the line could not be read as a row. */
  fields: Fields | null;
}

/** An import as requested by its caller. */
export interface ImportRun {
  db: Database;
  clock: Clock;
  context: ImportContext;
  /** How the file is read; filled in while reading. */
  recognized: Recognized;
  cells: Omit<CellRules, "messengerHosts">;
  /** For directories: whether to remove entries that the file does not name. */
  replace: boolean;
  /** Ends the import after the current transaction. */
  signal?: AbortSignal;
  /** Called in each transaction before its first row; if it throws, the import ends. */
  requireWanted?(tx: Transaction): void;
  onReject(reject: Reject): void;
  /** Called after each transaction. */
  onProgress(summary: ImportSummary): void;
}

/** An import in progress, with the results so far. */
export interface RunningImport<Row> extends Omit<ImportRun, "onProgress"> {
  kind: ImportKind<Row>;
  cells: CellRules;
  summary: ImportSummary;
  rejects: Tally;
  warnings: Tally;
  /** Must be called after each transaction. */
  progress(): void;
}
