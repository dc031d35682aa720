import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { inEnglish, type Message } from "../../values/messages/messages.ts";
import type { Column } from "../fields/columns.ts";
import type { ExportedRows } from "./exported-rows.ts";
import type { Fields } from "./input-row.ts";
import type { Fewest } from "./transaction-size.ts";

/** Values of a row: undefined where it gives none, null where it clears the stored one. */
export type Given<Row> = { [Name in keyof Row]?: Row[Name] | null | undefined };

export type RowOutcome = "inserted" | "updated" | "unchanged";

/** One kind of rows. */
export interface ImportKind<Row> {
  columns: { readonly [Name in keyof Row]: Column<Row[Name]> };
  /**
   * Columns of which a bad cell rejects its row: those by which it is known, those that a new one needs,
   * and those that decide whether it is shown. A bad cell of another is left out. Absent: all are.
   */
  requiredColumns?: readonly string[];
  /**
   * A directory: its rows depend on each other and their order means something, so all are
   * written in one transaction. The others are written in many short ones.
   */
  isDirectory: boolean;
  /** Growth and engagement of channels are computed from its rows. */
  isMeasured?: true;
  /** A writer for one import; its calls come inside transactions. */
  open(db: Database, context: ImportContext): RowWriter<Row>;
  exported: ExportedRows<keyof Row & string>;
}

export interface ImportContext {
  clock: Clock;
  /**
   * The folder to which names of image files are relative; null where rows come from elsewhere than
   * the operator's own machine, and may name no file of it.
   */
  folder: string | null;
  /** The messenger's hosts, by which links are known. */
  messengerHosts: readonly string[];
  /** How many of the last Moscow days follow their posts. */
  openDays: number;
  /** The highest number that the rows name: numbers are chosen after it. Absent where none names any. */
  highestNumber?: number;
  note(said: Message): void;
}

export interface RowWriter<Row> {
  /** For new rows, where one statement for several is cheaper than one for each. */
  together?: {
    /** Rows in one statement: always exactly this number. */
    rows: number;
    /** Writes the rows; false, with nothing written, where each needs its own statement. @throws RowFault */
    insert(rows: readonly Given<Row>[]): boolean;
  };
  /** The order in which rows that were read together are best written; their own where it matters. */
  arrange?(rows: readonly ReadRow<Row>[]): readonly ReadRow<Row>[];
  /** Rows that are read together; left out: some thousands. */
  batchRows?: number;
  /** Prepares rows that are likely to be written next, in the pause before their transaction. */
  ahead?(rows: readonly ReadRow<Row>[]): void;
  /** The least that a transaction has of the rows that were arranged last; left out: few rows. */
  fewest?(): Fewest | undefined;
  /** Channels: how many handles moved so far. */
  counts?: { handles_moved: number };
  /** Writes one row. @throws RowFault, with nothing written */
  write(row: Given<Row>): RowOutcome;
  /** Called before each commit. */
  beforeCommit?(): void;
  /** Called after each commit. */
  afterCommit?(): Promise<void>;
  /**
   * Directories, with `--replace`: removes what the file does not name, before its rows are
   * written, so that their ids are free. @returns how many entries were removed
   */
  removeOthers?(named: ReadonlySet<string>, inUse: ReadonlySet<string>): number;
  /** Entries that some channel uses. Reads all channels, so it is called outside of transactions. */
  inUse?(): ReadonlySet<string>;

  /** Called after the last commit. */
  afterwards?(): Promise<void>;
  /** Called after the last commit instead, where the import was interrupted: what cannot wait for the rest. */
  interrupted?(): Promise<void>;
}

/** Why a row is rejected. */
export class RowFault extends Error {
  override readonly name = "RowFault";
  constructor(
    readonly column: string | null,
    readonly fault: Message,
  ) {
    super(inEnglish(fault));
  }
}

/** A cell that was left out of its row, and why. */
export interface BadCell {
  column: string;
  fault: Message;
}

/** A row with its cells read by the kind's columns, or why it is rejected. */
export type ReadRow<Row> = { line: number; fields: Fields | null } & (
  | { given: Given<Row>; bad: readonly BadCell[] }
  | { fault: RowFault }
);
