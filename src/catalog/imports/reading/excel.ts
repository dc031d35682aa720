import { unzipSync } from "fflate";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";

/** Largest file, and largest contents: a sheet of some 300,000 rows, which is read in memory. */
const BYTES_MAX = 32 * 1024 ** 2;
const UNPACKED_BYTES_MAX = 256 * 1024 ** 2;
/** Rows that are passed on together. */
const ROWS_PER_PIECE = 1_000;

/**
 * The text of a sheet of an Excel workbook as CSV, which is then read as any other. It is read whole: a
 * workbook has its texts apart from its rows.
 * @param sheet its name; null for the first one
 * @throws AppError `invalid` for another ZIP archive, a workbook that is too large or damaged, and for one
 *   without that sheet
 */
export async function* readWorkbook(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  sheet: string | null,
): AsyncGenerator<Uint8Array> {
  const workbook = await collected(file, bytes);
  requireWorkbook(file, workbook);
  // Loaded for the first workbook: most processes never read one.
  const { readSheet, SheetNotFoundError } = await import("read-excel-file/universal");
  const rows = await readSheet(workbook.slice().buffer, sheet ?? 1, {
    trim: false,
    parseNumber: plainNumber,
  }).catch((error: unknown) => {
    const isMissing = error instanceof SheetNotFoundError && sheet !== null;
    throw new AppError(
      "invalid",
      isMissing ? message("noSheet", { file, sheet }) : message("excelDamaged", { file }),
    );
  });
  for (let at = 0; at < rows.length; at += ROWS_PER_PIECE) {
    const lines = rows.slice(at, at + ROWS_PER_PIECE).map((row) => row.map(toCell).join(","));
    yield new TextEncoder().encode(`${lines.join("\n")}\n`);
  }
}

async function collected(file: string, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of bytes) {
    total += piece.byteLength;
    if (total > BYTES_MAX) throw new AppError("invalid", message("excelTooLarge", { file }));
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads the archive's list only: how large its parts are, and whether it is a workbook. */
function requireWorkbook(file: string, workbook: Uint8Array): void {
  let unpackedBytes = 0;
  let isWorkbook = false;
  try {
    unzipSync(workbook, {
      filter({ name, originalSize }) {
        unpackedBytes += originalSize;
        isWorkbook ||= name === "xl/workbook.xml";
        return false;
      },
    });
  } catch {
    throw new AppError("invalid", message("excelDamaged", { file }));
  }
  if (!isWorkbook) throw new AppError("invalid", message("excelFile", { file }));
  if (unpackedBytes > UNPACKED_BYTES_MAX) {
    throw new AppError("invalid", message("excelTooLarge", { file }));
  }
}

/** A number's own digits, which a JavaScript number would round. */
function plainNumber(digits: string): string {
  return /e/i.test(digits) ? String(Number(digits)) : digits;
}

/**
 * A quoted cell, guarded as those of CSV are, since exports write both alike. Midnight is a day, and any
 * other time is local, as spreadsheets have no zones.
 */
function toCell(value: unknown): string {
  if (value === null) return "";
  // As CSV's own cells do: the reader takes CR LF for LF.
  const plain = value instanceof Date ? timeOf(value) : String(value);
  const text = plain.replaceAll("\r\n", "\r\r\n");
  return `"${text.replaceAll('"', '""')}"`;
}

function timeOf(date: Date): string {
  const text = date.toISOString().replace(/\.\d+Z$/, "");
  return text.endsWith("T00:00:00") ? text.slice(0, 10) : text;
}
