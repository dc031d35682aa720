import type { Database } from "../../db/database.ts";
import { givenUp } from "../../db/deadline.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { FILE_MAX_MS, LEAST_RATE } from "../../ports/own-work.ts";
import { message } from "../../values/messages/messages.ts";
import type { ExportRow, Position } from "../imports/kinds/exported-rows.ts";
import { bounds } from "../imports/kinds/exported-rows.ts";
import { importKinds } from "../imports/kinds/import-kinds.ts";
import { requireNoRemovalSince } from "../imports/kinds/removed-months.store.ts";
import { bulkKinds } from "./bulk-kinds.ts";
import type { BulkSelection } from "./bulk-selection.ts";
import { csvCell, csvLine, EXCEL_MARK } from "./csv-line.ts";
import type { ExportSelection } from "./export-selection.ts";
import { workbookOf, workbookRow } from "./workbook.ts";

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
  rowsBefore: number;
}

/** Limits of a part, in characters and rows: a few milliseconds of reading, and little memory. */
const PART_CHARACTERS = 256 * 1024;
const PART_ROWS = 1_000;

/**
 * Reads the next part of an export. Nothing is read between two parts, so that exports never keep the
 * write-ahead log from restarting, and the cost of a part does not depend on those before it.
 * @throws AppError `unavailable` if months of these rows were removed since it began
 */
export function exportPart(db: Database, turn: ExportTurn): ExportPart {
  const { selection, after, rowsBefore } = turn;
  const { columns, fields, rows } = importKinds[selection.kind].exported;
  const isNullable = (name: string) => fields?.[name]?.initial === null;
  const part = writePart(rows(db, selection, after, PART_ROWS), {
    toLine: lineWriter(selection, columns, isNullable, rowsBefore),
    after,
    rowsMax: PART_ROWS,
    header: after === null ? headerOf(selection, columns) : "",
  });
  requireNoRemovalSince(db, selection.kind, selection.removals, bounds(selection).from);
  return part;
}

function headerOf({ format, isExcel }: ExportSelection, columns: readonly string[]): string {
  if (format === "ndjson") return "";
  if (format === "csv") return (isExcel ? EXCEL_MARK : "") + csvLine(columns, isExcel);
  return workbookRow(
    1,
    columns.map((value) => ({ value, isNullable: false, isRaw: true })),
  );
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
function writePart(
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
 * Returns a function that writes a row as a line, or as a row of a sheet.
 * @param isNullable whether a column's empty text or list differs from null
 */
function lineWriter(
  { format, isRaw, isExcel }: Pick<ExportSelection, "format" | "isRaw" | "isExcel">,
  columns: readonly string[],
  isNullable: (name: string) => boolean,
  rowsBefore = 0,
): (values: Record<string, unknown>) => string {
  if (format === "ndjson") return (values) => `${JSON.stringify(values)}\n`;
  const cells = columns.map((name) => ({ name, isNullable: isNullable(name), isRaw }));
  if (format === "xlsx") {
    // The first row is the header.
    let number = rowsBefore + 1;
    return (values) =>
      workbookRow(
        ++number,
        cells.map(({ name, ...how }) => ({ ...how, value: values[name] })),
      );
  }
  return (values) =>
    csvLine(
      cells.map((cell) => csvCell(values[cell.name], cell)),
      isExcel,
    );
}

/**
 * Contents of an export file, part by part, each read after the previous one was taken.
 * @param read reads a part, here or on another thread
 * @param onRows receives the number of rows in each part
 */
export function exportParts(
  read: (turn: ExportTurn) => Promise<ExportPart>,
  selection: ExportSelection,
  onRows: (rows: number) => void = () => {},
): AsyncGenerator<Uint8Array, void> {
  const parts = partsOf(read, selection, onRows);
  return selection.format === "xlsx" ? workbookOf(parts) : parts;
}

async function* partsOf(
  read: (turn: ExportTurn) => Promise<ExportPart>,
  selection: ExportSelection,
  onRows: (rows: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let after: Position = null;
  let rowsBefore = 0;
  do {
    const { content, rows, next } = await read({ selection, after, rowsBefore });
    onRows(rows);
    rowsBefore += rows;
    if (content.byteLength > 0) yield content;
    after = next;
  } while (after !== null);
}

export interface BulkTurn {
  selection: BulkSelection;
  /** Where the previous part ended; null for the first. */
  after: Position;
  hasHeader: boolean;
  rowsMax: number;
}

/**
 * Reads the next part of a customer's export: a few milliseconds of a thread, which then serves others.
 * @throws AppError `unavailable` as `exportPart`, and while the index of a search is being rebuilt
 */
export function bulkPart(db: Database, turn: BulkTurn): ExportPart {
  const { selection, after, hasHeader, rowsMax } = turn;
  const { schema, rows } = bulkKinds[selection.rows];
  const columns = Object.keys(schema.properties);
  // A nullable field is declared as one of two schemas.
  const isNullable = (name: string) => "anyOf" in (schema.properties[name] ?? {});
  const { format } = selection;
  const part = writePart(rows(db, selection, after, PART_ROWS), {
    after,
    rowsMax,
    toLine: lineWriter({ format, isRaw: false, isExcel: false }, columns, isNullable),
    header: hasHeader && format === "csv" ? csvLine(columns) : "",
  });
  requireNoRemovalSince(db, selection.rows, selection.removals, bounds(selection).from);
  return part;
}

/**
 * A file's parts as a stream that is read only as fast as it is consumed.
 * @param close called when reading ends: at the end, after a failure, or when the consumer cancels
 */
export function partStream(
  parts: AsyncGenerator<Uint8Array, void>,
  close: () => void,
): ReadableStream<Uint8Array> {
  const source: Bun.UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await parts.next().catch((error) => {
        close();
        throw error;
      });
      if (done !== true) {
        controller.enqueue(value);
        return;
      }
      close();
      controller.close();
    },
    async cancel() {
      close();
      await parts.return();
    },
  };
  // The stream buffers nothing that was not requested.
  return new ReadableStream(source, { highWaterMark: 0 });
}

/**
 * Watches a file being sent: it must be taken at the least rate, and within an hour, or it would keep one of
 * the few places for exports for as long as its reader likes.
 */
export function createPace(clock: Pick<Clock, "monotonic">) {
  const endAtMs = clock.monotonic() + FILE_MAX_MS;
  let tookMs = 0;
  let bytes = 0;
  return {
    /**
     * Called when a piece was taken.
     * @param sinceMs when it was offered, by the monotonic clock
     * @returns why nothing more is sent; null if the next piece may be
     */
    taken(byteLength: number, sinceMs: number): AppError | null {
      const nowMs = clock.monotonic();
      if (nowMs >= endAtMs) return givenUp(FILE_MAX_MS);
      tookMs += nowMs - sinceMs;
      bytes += byteLength;
      if (tookMs < LEAST_RATE.overMs) return null;
      const { kilobytesPerS } = LEAST_RATE;
      if (bytes < (kilobytesPerS * 1024 * tookMs) / 1000) {
        return new AppError("timeout", message("readTooSlowly"));
      }
      [tookMs, bytes] = [0, 0];
      return null;
    },
  };
}
