import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import { inEnglish, type Message, message } from "../../../values/messages/messages.ts";
import type { Column } from "../../fields/columns.ts";
import type { RecordOf, RowOf, StoredFields } from "../../fields/stored-field.ts";
import type { Fields } from "../reading/recognized.ts";
import type { MinimumSize } from "../writing/import-paced.ts";
import type { ExportedRows } from "./exported-rows.ts";

/** Values of a row: undefined if not given, null to clear the stored one. */
export type Given<Row> = { [Name in keyof Row]?: Row[Name] | null | undefined };

/** `kept_out`: it is about a channel that was deleted or merged, and changed nothing. */
export type RowOutcome = "inserted" | "updated" | "unchanged" | "kept_out";

/** A kind of rows that can be imported, such as `posts`: its columns, and how its rows are written. */
export interface ImportKind<Row> {
  columns: { readonly [Name in keyof Row]: Column<Row[Name]> };
  /**
   * Columns whose invalid cells reject the row: those that identify it, that a new one needs, or that
   * decide whether it is shown. Invalid cells of other columns are dropped. Absent if all columns are
   * required.
   */
  requiredColumns?: readonly string[];
  /**
   * Whether it is a directory, whose rows depend on each other and whose order matters: all are written in
   * one transaction. Other kinds are written in many short ones.
   */
  isDirectory: boolean;
  /** Whether growth and engagement of channels are computed from its rows. */
  isMeasured?: true;
  /** Creates a writer for one import, which is called inside transactions. */
  open(db: Database, context: ImportContext): RowWriter<Row>;
  exported: ExportedRows<keyof Row & string>;
}

export interface ImportContext {
  clock: Clock;
  /**
   * Folder for relative names of image files; null if the rows do not come from the operator's own machine
   * and may not name its files.
   */
  folder: string | null;
  messengerHosts: readonly string[];
  openDays: number;
  /** For channels: whether rows bring back channels that were deleted. */
  restores?: boolean;
  /** Highest number that the rows name: generated numbers start after it. Absent if they name none. */
  highestNumber?: number;
  /** Reports something about the import to its operator, apart from rejected rows and dropped cells. */
  note(report: Message): void;
}

export interface RowWriter<Row> {
  /** Inserts several new rows in one statement, where that is cheaper than one statement each. */
  together?: {
    /** Exact number of rows per statement. */
    rows: number;
    /**
     * Inserts the rows; false, without writing anything, if they need separate statements. @throws RowFault
     */
    insert(rows: readonly Given<Row>[]): boolean;
  };
  /**
   * Sorts rows that were read together into the best order for writing, or keeps their order if it matters.
   */
  arrange?(rows: readonly ReadRow<Row>[]): readonly ReadRow<Row>[];
  /** Rows to read together; absent for the default of a few thousand. */
  batchRows?: number;
  /** Prepares rows that will probably be written next, in the pause before their transaction. */
  ahead?(rows: readonly ReadRow<Row>[]): void;
  /** Minimum size of a transaction with the rows that were arranged last; absent for the default. */
  minimumSize?(): MinimumSize | undefined;
  /** For channels: number of handles moved so far. */
  counts?: { handles_moved: number };
  /** Writes one row. @throws RowFault, or KeptOut, with nothing written */
  write(row: Given<Row>): RowOutcome;
  beforeCommit?(): void;
  afterCommit?(): Promise<void>;
  /**
   * For directories with `--replace`: removes entries that the file does not name, before its rows are
   * written, so that their ids become free. @returns number of entries removed
   */
  removeOthers?(named: ReadonlySet<string>, inUse: ReadonlySet<string>): number;
  /** Entries used by any channel. Reads all channels, so it is called outside transactions. */
  inUse?(): ReadonlySet<string>;

  afterwards?(): Promise<void>;
  /** Called instead of `afterwards` if the import was interrupted: does what cannot wait for the rest. */
  interrupted?(): Promise<void>;
}

export class RowFault extends Error {
  override readonly name = "RowFault";
  constructor(
    readonly column: string | null,
    readonly fault: Message,
  ) {
    super(inEnglish(fault));
  }
}

/** A row about a channel that was deleted, so that it changes nothing. */
export class KeptOut extends Error {
  override readonly name = "KeptOut";
}

/** A cell that was dropped from its row, and why. */
export interface BadCell {
  column: string;
  fault: Message;
}

/** A row whose cells were read as the kind's columns, or why it is rejected. */
export type ReadRow<Row> = { line: number; fields: Fields | null } & (
  | { given: Given<Row>; bad: readonly BadCell[] }
  | { fault: RowFault }
);

/**
 * Combines the stored entry, or a new one, with the values of a row.
 * @param fault reported for a required field that a new entry's row does not give
 * @throws RowFault for such a field
 */
export function merge<F extends StoredFields>(
  fields: F,
  row: Given<RowOf<F>>,
  stored: RecordOf<F> | undefined,
  fault: Message,
): RecordOf<F> {
  const record: Record<string, unknown> = {};
  for (const name in fields) {
    const { initial, store } = fields[name] as StoredFields[string];
    const given = row[name];
    if (given === undefined) record[name] = stored === undefined ? initial : stored[name];
    else record[name] = given === null ? initial : store(given);
    if (record[name] === undefined) throw new RowFault(name, fault);
  }
  return record as RecordOf<F>;
}

export function isSame<R extends object>(record: R, stored: R): boolean {
  for (const name in stored) if (record[name] !== stored[name]) return false;
  return true;
}

/** How far another machine's clock may be ahead of ours. */
const AHEAD_MAX_MS = 5 * 60 * 1000;

/** @throws RowFault for an instant in the future */
export function requirePast(
  column: string,
  instantMs: number | null | undefined,
  nowMs: number,
): void {
  if (instantMs != null && instantMs > nowMs + AHEAD_MAX_MS) {
    throw new RowFault(column, message("inFuture"));
  }
}
