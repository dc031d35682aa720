import { isAscii, isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { type ColumnNames, createColumnNames, type Naming } from "./column-names.ts";
import { readCsv } from "./csv-rows.ts";
import type { ForeignFormatName } from "./foreign/foreign-formats.ts";
import { createForeignRows, formatOfForeign } from "./foreign/foreign-formats.ts";
import { refuseChatExport } from "./foreign/message-parts.ts";
import { beginningOf, type Input, prepend } from "./input.ts";
import { createJsonRows, readJson, readNdjson } from "./json-rows.ts";
import type { Encoding, FileFormat, InputRow, Recognized } from "./recognized.ts";
import { unpack } from "./unpack.ts";

/** How to read a file: plain data. */
export interface ReadingOptions extends Naming {
  /** Null to determine it from the file's name or contents. */
  format: FileFormat | null;
  /** Null for files with the kind's own columns. */
  from: ForeignFormatName | null;
  /** Name of an Excel workbook's sheet; absent or null for the first one. */
  sheet?: string | null;
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
  ".xlsx": "csv",
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
  const text = readText(input, options.sheet ?? null, recognized, onBytes);
  try {
    const first = await beginningOf(text, showsFormat);
    recognized.format = formatOfContent(first, namedFormat(input.name, options));
    const rows = rowsOf(prepend(first, text), first, kind, names, recognized);
    for await (const some of rows) yield names.completed(some);
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
  const paths = ANSWER.test(first) ? ["$.response.items.*"] : rows.paths;
  return format === "json" ? readJson(text, { ...rows, paths }) : readNdjson(text, rows);
}

async function* readText(
  input: Input,
  sheet: string | null,
  recognized: Recognized,
  onBytes: (total: number) => void,
): AsyncGenerator<string> {
  const { compression, bytes } = await unpack(input, sheet, onBytes);
  recognized.compression = compression;
  // ASCII is UTF-8 too.
  recognized.encoding = "UTF-8";
  yield* decodeText(bytes, input.name, (encoding: Encoding) => {
    recognized.encoding = encoding;
  });
}

/** A whole answer of TGStat's API, in which a list of channels or posts is `response.items`. */
const ANSWER = /^\s*\{\s*"status"\s*:\s*"ok"\s*,\s*"response"\s*:\s*\{/;

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
  if (begin.startsWith("[") || ANSWER.test(begin)) return "json";
  if (named !== null) return named;
  return begin.startsWith("{") ? "ndjson" : "csv";
}

const LABELS = {
  "UTF-8": "utf-8",
  "UTF-16": "utf-16le",
  "UTF-16BE": "utf-16be",
  "Windows-1251": "windows-1251",
} as const;

type Decoder = (piece: Uint8Array, isEnd: boolean) => string;

/** Length of UTF-16's byte order mark. */
const MARK_BYTES = 2;

/** Bytes examined to distinguish UTF-8 from Windows-1251, which may resemble UTF-8 for a letter or two. */
const SAMPLE_BYTES = 4096;

/**
 * Decodes text piece by piece. UTF-16 is recognized by its byte order mark; otherwise the first non-ASCII
 * letters decide between UTF-8 and Windows-1251. Text before them is passed on at once, because it is the
 * same in both.
 * @param onEncoding called before the first letters in that encoding
 * @throws AppError `invalid` naming the line if later bytes do not fit the encoding
 */
async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  onEncoding: (encoding: Encoding) => void,
): AsyncGenerator<string> {
  let decode: Decoder | null = null;
  let held: Uint8Array = new Uint8Array();
  let isBegun = false;
  let lines = 1;

  for await (const piece of bytes) {
    held = held.byteLength === 0 ? piece : Buffer.concat([held, piece]);
    if (decode === null && held.byteLength >= MARK_BYTES) {
      if (!isBegun) decode = byEncoding(encodingByMark(held));
      isBegun = true;
      if (decode === null && isAscii(held)) {
        yield counted(Buffer.from(held).toString("latin1"));
        held = new Uint8Array();
      } else if (decode === null && held.byteLength >= SAMPLE_BYTES) {
        decode = byEncoding(encodingByContent(held, true));
      }
    }
    if (decode === null) continue;
    yield decode(held, false);
    held = new Uint8Array();
  }
  decode ??= byEncoding(encodingByContent(held, false)) as Decoder;
  yield decode(held, true);

  function byEncoding(found: keyof typeof LABELS | null): Decoder | null {
    if (found === null) return null;
    const encoding = found === "UTF-16BE" ? "UTF-16" : found;
    const decoder = new TextDecoder(LABELS[found], { fatal: true });
    onEncoding(encoding);
    return (piece, isEnd) => {
      try {
        return counted(decoder.decode(piece, { stream: !isEnd }));
      } catch {
        const [code, line] =
          encoding === "UTF-16"
            ? (["fileNotUtf16", lines] as const)
            : (["fileNotUtf8", lines + linesBeforeFault(piece)] as const);
        throw new AppError("invalid", message(code, { file, line }));
      }
    };
  }

  function counted(text: string): string {
    lines += text.split("\n").length - 1;
    return text;
  }
}

function encodingByMark([first, second]: Uint8Array): keyof typeof LABELS | null {
  if (first === 0xff && second === 0xfe) return "UTF-16";
  return first === 0xfe && second === 0xff ? "UTF-16BE" : null;
}

/** @param isCut whether more follows, so that the last character may be incomplete */
function encodingByContent(sample: Uint8Array, isCut: boolean): keyof typeof LABELS {
  const text = new TextDecoder("utf-8").decode(sample, { stream: isCut });
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  // A few invalid letters among many mean a damaged file, which is reported; Windows-1251 read as UTF-8 is
  // nearly all invalid.
  return broken > foreign - broken ? "Windows-1251" : "UTF-8";
}

/** Number of line breaks before the first line that is not UTF-8. */
function linesBeforeFault(piece: Uint8Array): number {
  // The first bytes may complete a character that began in the previous piece.
  const start = piece.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  const lines = Buffer.from(piece.subarray(Math.max(0, start)))
    .toString("latin1")
    .split("\n");
  const bad = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  return Math.max(0, bad);
}
