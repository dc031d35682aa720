import type { Database } from "../../db/database.ts";
import type { ExportRow, Position } from "../imports/kinds/exported-rows.ts";
import { importKinds } from "../imports/kinds/import-kinds.ts";
import { csvCell, csvLine } from "./csv-line.ts";
import type { ExportSelection } from "./export-selection.ts";

export interface ExportPart {
  /** Complete lines in UTF-8; the first part of a CSV file starts with the header. */
  content: Uint8Array;
  rows: number;
  /** Where the next part starts; null after the last. */
  next: Position;
  /** Position of its last row; null if it has none. */
  last: Position;
}

export interface ExportTurn {
  selection: ExportSelection;
  /** Where the previous part ended; null for the first. */
  after: Position;
}

/** Limits of a part, in characters and rows: a few milliseconds of reading, and little memory. */
const PART_CHARACTERS = 256 * 1024;
export const PART_ROWS = 1_000;

/**
 * Reads the next part of an export. Nothing is read between two parts, so that exports never keep the
 * write-ahead log from restarting, and the cost of a part does not depend on those before it.
 */
export function exportPart(db: Database, { selection, after }: ExportTurn): ExportPart {
  const { kind, format } = selection;
  const { columns, fields, rows } = importKinds[kind].exported;
  const isNullable = (name: string) => fields?.[name]?.initial === null;
  const toLine = lineWriter(selection, columns, isNullable);
  const hasHeader = after === null && format === "csv";
  return writePart(rows(db, selection, after, PART_ROWS), {
    toLine,
    after,
    rowsMax: PART_ROWS,
    header: hasHeader ? csvLine(columns) : "",
  });
}

interface PartWriting {
  toLine(values: Record<string, unknown>): string;
  /** Written before the first row; empty for none. */
  header: string;
  after: Position;
  rowsMax: number;
}

/**
 * Writes a part, reading its rows on the way.
 * @param rows at most `PART_ROWS`; if there are fewer, the export ends with this part
 */
export function writePart(
  rows: Iterable<ExportRow>,
  { toLine, header, after, rowsMax }: PartWriting,
): ExportPart {
  let text = header;
  let read = 0;
  let written = 0;
  let next: Position = after;
  let last: Position = null;
  for (const { position, values } of rows) {
    next = position;
    read += 1;
    if (values === null) continue;
    text += toLine(values);
    written += 1;
    last = position;
    if (text.length >= PART_CHARACTERS || written === rowsMax) {
      return { content: Buffer.from(text), rows: written, next, last };
    }
  }
  const isLast = read < PART_ROWS;
  return { content: Buffer.from(text), rows: written, next: isLast ? null : next, last };
}

/**
 * Returns a function that writes a row as a line.
 * @param isNullable whether a column's empty text or list differs from null
 */
export function lineWriter(
  { format, isRaw }: Pick<ExportSelection, "format" | "isRaw">,
  columns: readonly string[],
  isNullable: (name: string) => boolean,
): (values: Record<string, unknown>) => string {
  if (format === "ndjson") return (values) => `${JSON.stringify(values)}\n`;
  const cells = columns.map((name) => ({ name, isNullable: isNullable(name), isRaw }));
  return (values) => csvLine(cells.map((cell) => csvCell(values[cell.name], cell)));
}

/**
 * Contents of an export file, part by part, each read after the previous one was taken.
 * @param read reads a part, here or on another thread
 * @param onRows receives the number of rows in each part
 */
export async function* exportParts(
  read: (turn: ExportTurn) => Promise<ExportPart>,
  selection: ExportSelection,
  onRows: (rows: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let after: Position = null;
  do {
    const { content, rows, next } = await read({ selection, after });
    onRows(rows);
    if (content.byteLength > 0) yield content;
    after = next;
  } while (after !== null);
}
