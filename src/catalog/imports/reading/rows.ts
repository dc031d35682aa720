import { extname } from "node:path";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { type ColumnNames, createColumnNames, type Naming } from "./column-names.ts";
import { readCsv } from "./csv-rows.ts";
import { decodeText } from "./decode-text.ts";
import { refuseChatExport } from "./foreign/chat-export.ts";
import {
  createForeignRows,
  type ForeignFormatName,
  formatOfForeign,
} from "./foreign/foreign-formats.ts";
import { beginningOf, type Input, prepend } from "./input.ts";
import type { InputRow } from "./input-row.ts";
import { createJsonRows, readJson } from "./json-rows.ts";
import { readNdjson } from "./ndjson-rows.ts";
import type { Encoding, FileFormat, Recognized } from "./recognized.ts";
import { unpack } from "./unpack.ts";

/** How to read a file: plain data. */
export interface ReadingOptions extends Naming {
  /** Null to determine it from the file's name or contents. */
  format: FileFormat | null;
  /** Null for files with the kind's own columns. */
  from: ForeignFormatName | null;
}

/** Everything is recognized from the file itself. */
export const AS_RECOGNIZED: ReadingOptions = {
  format: null,
  from: null,
  map: {},
  ignoreUnknown: false,
};

const FORMATS_BY_ENDING: Record<string, FileFormat> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

/** Format by the extension of a file's name, compressed or not; null if only the contents can tell. */
function formatOf(path: string): FileFormat | null {
  const name = path.toLowerCase().replace(/\.(gz|zst)$/, "");
  return FORMATS_BY_ENDING[extname(name)] ?? null;
}

/** The format that options or the file's name determine; null if only the contents can tell. */
function namedFormat(file: string, { format, from }: ReadingOptions): FileFormat | null {
  return from === null ? (format ?? formatOf(file)) : formatOfForeign(from);
}

/**
 * Streams the rows of an input, in batches of what one piece of its text contains: passing rows on one by
 * one costs as much as parsing them. Unknown columns are refused by name, in CSV once for the header, in
 * NDJSON row by row.
 * @param recognized is filled in with how the file is read, as soon as that is known
 * @param onBytes receives the number of bytes read from the file so far
 * @throws AppError `invalid` for a wrong header and for a file that cannot be read
 */
export async function* readRows(
  input: Input,
  kind: ImportKindName,
  options: ReadingOptions,
  recognized: Recognized,
  onBytes: (total: number) => void = () => {},
): AsyncGenerator<InputRow[]> {
  const names = createColumnNames(kind, options, recognized);
  recognized.from = options.from;
  const text = readText(input, recognized, onBytes);
  try {
    const first = await beginningOf(text, showsFormat);
    recognized.format = formatOfContent(first, namedFormat(input.name, options));
    yield* rowsOf(prepend(first, text), first, kind, names, recognized);
  } finally {
    // Closes the file if reading ends early. Not awaited, because a silent pipe only closes after its next
    // piece.
    void text.return(undefined).catch(() => {});
  }
}

function rowsOf(
  text: AsyncIterable<string>,
  first: string,
  kind: ImportKindName,
  names: ColumnNames,
  recognized: Recognized,
): AsyncGenerator<InputRow[]> {
  const { format, from } = recognized;
  if (format === "csv") {
    return readCsv(text, names, (separator) => {
      recognized.separator = separator;
    });
  }
  if (from === null) refuseChatExport(first);
  const rows = from === null ? createJsonRows(names) : createForeignRows(from, kind, names.known);
  return format === "json" ? readJson(text, rows) : readNdjson(text, rows);
}

async function* readText(
  input: Input,
  recognized: Recognized,
  onBytes: (total: number) => void,
): AsyncGenerator<string> {
  const { compression, bytes } = await unpack(input, onBytes);
  recognized.compression = compression;
  // ASCII is UTF-8 too.
  recognized.encoding = "UTF-8";
  yield* decodeText(bytes, input.name, (encoding: Encoding) => {
    recognized.encoding = encoding;
  });
}

/** Number of characters of JSON text that show which program exported it. */
const JSON_BEGIN_LENGTH = 1024;

/** Whether a text shows its format: one character after the blanks does, in JSON also the program. */
function showsFormat(text: string): boolean {
  const begin = text.trimStart();
  return begin !== "" && (!/^[{[]/.test(begin) || text.length >= JSON_BEGIN_LENGTH);
}

/**
 * Determines the format: none of our CSV headers begins with a brace or bracket, and no NDJSON line with a
 * bracket.
 * @param named the format by options or file name, or null
 */
function formatOfContent(first: string, named: FileFormat | null): FileFormat {
  if (named === "csv") return "csv";
  const begin = first.trimStart();
  if (begin.startsWith("[")) return "json";
  if (named !== null) return named;
  return begin.startsWith("{") ? "ndjson" : "csv";
}
