import type { Database, Transaction } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Message } from "../../../values/messages/messages.ts";
import type { ImportContext, ImportKind } from "../kinds/import-kind.ts";
import type { CellRules } from "../kinds/read-cells.ts";
import type { Fields } from "../reading/input-row.ts";
import type { Recognized } from "../reading/recognized.ts";
import type { ImportSummary } from "./import-summary.ts";
import type { Tally } from "./tally.ts";

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
