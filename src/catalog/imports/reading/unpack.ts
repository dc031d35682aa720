import { ReadableStream } from "node:stream/web";
import { unzipSync } from "fflate";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { type Input, prepend } from "./input.ts";
import type { Compression } from "./recognized.ts";

const PACKED: readonly (readonly ["gzip" | "zstd", string])[] = [
  ["gzip", "\x1f\x8b"],
  ["zstd", "\x28\xb5\x2f\xfd"],
];

const ZIP = "PK\x03\x04";

/** Signatures of files that people upload by mistake, because they cannot be read as rows. */
const REFUSED = [
  ["excelFile", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["databaseFile", "SQLite format 3\0"],
  ["pdfFile", "%PDF-"],
] as const;

const LONGEST_MAGIC = 16;

/**
 * The bytes of a file, decompressed while they are read: however much a compressed file expands to, only one
 * piece of it is in memory.
 * @param sheet of an Excel workbook; null for the first one
 * @param onBytes receives the number of bytes read from the file itself
 * @throws AppError `invalid` for files that contain no rows, and while reading if a compressed file is
 * damaged, truncated or expands to too much
 */
export async function unpack(
  input: Input,
  sheet: string | null,
  onBytes: (total: number) => void,
): Promise<{ compression: Compression | null; bytes: AsyncIterable<Uint8Array> }> {
  const whole = await withMagic(counted(input, onBytes));
  if (whole.magic.startsWith(ZIP)) {
    return { compression: "xlsx", bytes: readWorkbook(input.name, whole.bytes, sheet) };
  }
  const compression = PACKED.find(([, magic]) => whole.magic.startsWith(magic))?.[0] ?? null;
  if (compression === null) {
    refuse(input, whole.magic);
    return { compression, bytes: whole.bytes };
  }
  const unpacked = await withMagic(unpacking(input, whole.bytes, compression));
  refuse(input, unpacked.magic);
  if (unpacked.magic.startsWith(ZIP)) {
    throw new AppError("invalid", message("excelFile", { file: input.name }));
  }
  return { compression, bytes: upToMax(input, unpacked.bytes) };
}

async function* upToMax(
  { name: file, unpackedBytesMax: bytesMax = Number.POSITIVE_INFINITY }: Input,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of bytes) {
    total += piece.byteLength;
    if (total > bytesMax) {
      const gigabytes = bytesMax / 1024 ** 3;
      throw new AppError("invalid", message("packedFileTooLarge", { file, gigabytes }));
    }
    yield piece;
  }
}

async function* counted(
  input: Input,
  onBytes: (total: number) => void,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of input.open()) {
    total += piece.byteLength;
    onBytes(total);
    yield piece;
  }
}

/** The bytes, and the first few as text with one character per byte. */
async function withMagic(
  pieces: AsyncGenerator<Uint8Array>,
): Promise<{ magic: string; bytes: AsyncIterable<Uint8Array> }> {
  let first: Uint8Array = new Uint8Array();
  while (first.byteLength < LONGEST_MAGIC) {
    const next = await pieces.next();
    if (next.done === true) break;
    first = first.byteLength === 0 ? next.value : Buffer.concat([first, next.value]);
  }
  const magic = Buffer.from(first.subarray(0, LONGEST_MAGIC)).toString("latin1");
  return { magic, bytes: prepend(first, pieces) };
}

async function* unpacking(
  { name: file }: Input,
  bytes: AsyncIterable<Uint8Array>,
  compression: "gzip" | "zstd",
): AsyncGenerator<Uint8Array> {
  let failure: unknown = null;
  const packed = keepingFailure(bytes, (error) => {
    failure = error;
  });
  try {
    // The streams of `node:zlib` accept a truncated zstd file without an error.
    const stream = new DecompressionStream(compression);
    yield* ReadableStream.from(packed).pipeThrough<Uint8Array>(stream as never);
  } catch {
    throw failure ?? new AppError("invalid", message("packedFileDamaged", { file, compression }));
  }
}

/** Remembers an error of the storage, which must not be blamed on the compressed file. */
async function* keepingFailure(
  bytes: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

function refuse({ name: file }: Input, magic: string): void {
  const found = REFUSED.find(([, first]) => magic.startsWith(first));
  if (found !== undefined) throw new AppError("invalid", message(found[0], { file }));
}

/** Largest file, and largest contents: a sheet of some 300,000 rows, which is read in memory. */
const BYTES_MAX = 32 * 1024 ** 2;
const UNPACKED_BYTES_MAX = 256 * 1024 ** 2;
const ROWS_PER_PIECE = 1_000;

/**
 * The text of a sheet of an Excel workbook as CSV, which is then read as any other. It is read whole: a
 * workbook has its texts apart from its rows.
 * @param sheet its name; null for the first one
 * @throws AppError `invalid` for another ZIP archive, a workbook that is too large or damaged, and for one
 *   without that sheet
 */
async function* readWorkbook(
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
