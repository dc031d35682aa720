import type { Database } from "../../db/database.ts";
import { importKinds } from "../imports/import-kinds.ts";
import { csvCell, csvLine } from "./csv-line.ts";
import { exportKinds, type Position } from "./export-kinds.ts";
import type { ExportSelection } from "./export-selection.ts";

/** A piece of the file that an export makes. */
export interface ExportPart {
  /** Whole lines in UTF-8; the first part of CSV begins with the header. */
  content: Uint8Array;
  rows: number;
  /** Where the next part begins; null after the last. */
  next: Position;
}

/** The part that is asked for. */
export interface ExportTurn {
  selection: ExportSelection;
  /** Where the part before ended; null for the first. */
  after: Position;
}

/** A part ends after so many characters or rows: a few milliseconds of reading, and little memory. */
const PART_CHARACTERS = 256 * 1024;
const PART_ROWS = 1_000;

/**
 * The next part of an export. Between two parts nothing is read, so that none keeps the write-ahead log
 * from being emptied, and no part depends on how many were before it.
 */
export function exportPart(db: Database, { selection, after }: ExportTurn): ExportPart {
  const { columns, rows } = exportKinds[selection.kind];
  const toLine = lineWriter(selection, columns);
  const hasHeader = after === null && selection.format === "csv";
  let text = hasHeader ? csvLine(columns) : "";
  let [read, written] = [0, 0];
  let next = after;
  for (const { position, values } of rows(db, selection, after, PART_ROWS)) {
    next = position;
    read += 1;
    if (values === null) continue;
    text += toLine(values);
    written += 1;
    if (text.length >= PART_CHARACTERS) return { content: Buffer.from(text), rows: written, next };
  }
  const isLast = read < PART_ROWS;
  return { content: Buffer.from(text), rows: written, next: isLast ? null : next };
}

function lineWriter(
  { kind, format, isRaw }: ExportSelection,
  columns: readonly string[],
): (values: Record<string, unknown>) => string {
  if (format === "ndjson") return (values) => `${JSON.stringify(values)}\n`;
  const cells = columns.map((name) => {
    return { name, isNullable: importKinds[kind].columns[name]?.nullable === true, isRaw };
  });
  return (values) => csvLine(cells.map((cell) => csvCell(values[cell.name], cell)));
}

/**
 * The file's content, part after part, each read when the one before was taken.
 * @param read reads a part, here or on a thread
 * @param onRows told of the rows in each part
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
