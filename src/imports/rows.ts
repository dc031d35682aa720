import { extname } from "node:path";
import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import { AppError } from "../errors.ts";
import { decodeUtf8, type Source } from "./source.ts";

export type ImportFormat = "csv" | "ndjson";
export const IMPORT_FORMATS: readonly ImportFormat[] = ["csv", "ndjson"];

/** Fields of a row by column. In CSV all are texts; an empty cell is not given, so it is absent. */
export type Fields = Record<string, unknown>;

/** A row, or the reason why the line is none. */
export type SourceRow = { line: number; fields: Fields } | { line: number; fault: string };

/** Longer than any row should be; a file without line breaks must not fill the memory. */
const LINE_LENGTH_MAX = 4 * 1024 * 1024;

const FORMATS_BY_ENDING: Record<string, ImportFormat> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

/** The format that a file's name tells; null where it tells none, and the content must. */
export function formatOf(path: string): ImportFormat | null {
  return FORMATS_BY_ENDING[extname(path).toLowerCase()] ?? null;
}

/**
 * The rows of a source, streamed. Columns that the kind does not have are refused by name: in a
 * CSV header at once, in NDJSON row by row.
 * @throws AppError `invalid` for a wrong header
 */
export async function* readRows(
  source: Source,
  format: ImportFormat | null,
  columns: readonly string[],
  onBytes: (total: number) => void,
): AsyncGenerator<SourceRow> {
  const text = decodeUtf8(source, onBytes);
  const { value: first = "" } = await text.next();
  // What begins with a brace or bracket is no CSV header of ours.
  const isCsv = format === null ? !/^\s*[{[]/.test(first) : format === "csv";
  const whole = prepend(first, text);
  yield* isCsv ? readCsv(whole, columns) : readNdjson(whole, columns);
}

async function* prepend(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* readCsv(
  text: AsyncIterable<string>,
  columns: readonly string[],
): AsyncGenerator<SourceRow> {
  const rejected: SourceRow[] = [];
  let headerRead = false;
  /** The line on which the last record ended. */
  let lastLine = 0;
  /** The line on which a record starts; its raw text may begin with blank lines. */
  const lineOf = (raw: string): number =>
    lastLine + 1 + lineBreaks(raw) - lineBreaks(raw.trimStart());
  const skip = (error: CsvError, raw: string): void => {
    const line = lineOf(raw);
    if (error.code === "INVALID_OPENING_QUOTE") {
      // Told once for each quote in the row.
      if (lastLine !== Number(error["lines"])) rejected.push({ line, fault: OPENING_QUOTE });
    } else if (error.code === "CSV_RECORD_INCONSISTENT_COLUMNS") {
      rejected.push({ line, fault: "The row has another number of cells than the header." });
    } else {
      throw unreadable(line, error);
    }
    lastLine = Number(error["lines"]);
  };
  const parser = parse({
    columns: (header: string[]) => {
      headerRead = true;
      lastLine = 1 + lineBreaks(header.join(""));
      return checkHeader(header, columns);
    },
    info: true,
    max_record_size: LINE_LENGTH_MAX,
    on_record: ({ record, info }: CsvRecord): SourceRow => {
      const line = lineOf(info.raw);
      lastLine = info.lines;
      return { line, fields: withoutEmpty(record) };
    },
    on_skip: (error, raw) => {
      if (error !== undefined) skip(error, raw ?? "");
      return undefined;
    },
    raw: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  // An error of either ends both; the loop below throws it.
  pipeline(Readable.from(withoutCarriageReturns(text)), parser, () => {});
  for await (const row of parser as AsyncIterable<SourceRow>) {
    while (rejected[0] !== undefined && rejected[0].line < row.line) {
      yield rejected.shift() as SourceRow;
    }
    yield row;
  }
  if (!headerRead) {
    throw new AppError(
      "invalid",
      "The file has no whole header: its first line names the columns.",
    );
  }
  yield* rejected;
}

interface CsvRecord {
  record: Record<string, string>;
  info: { raw: string; lines: number };
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Lines end with LF only, within cells too. */
async function* withoutCarriageReturns(text: AsyncIterable<string>): AsyncGenerator<string> {
  let held = "";
  for await (const piece of text) {
    const whole = held + piece;
    held = whole.endsWith("\r") ? "\r" : "";
    yield whole.slice(0, whole.length - held.length).replaceAll("\r\n", "\n");
  }
  yield held;
}

function checkHeader(header: string[], columns: readonly string[]): string[] {
  const names = header.map((name) => name.trim());
  const unknown = names.filter((name) => !columns.includes(name));
  if (unknown.length > 0) {
    throw new AppError(
      "invalid",
      `The header has unknown columns: ${unknown.map((name) => JSON.stringify(name)).join(", ")}. ` +
        `Known: ${columns.join(", ")}.`,
    );
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new AppError("invalid", `The header has the column ${repeated} twice.`);
  }
  return names;
}

function withoutEmpty(record: Record<string, string>): Fields {
  const fields: Fields = {};
  for (const name in record) {
    if (record[name] !== "") fields[name] = record[name];
  }
  return fields;
}

const OPENING_QUOTE =
  "A quote stands within a cell that is not quoted: quote the cell and double the quote.";

const AGAIN = "Mend it and import the file again; rows before it may be imported already.";

/** What follows a broken quote cannot be told from it, so the import ends there. */
function unreadable(line: number, { code }: CsvError): AppError {
  const reason =
    code === "CSV_MAX_RECORD_SIZE"
      ? `the row is longer than ${LINE_LENGTH_MAX} characters; is a quote not closed?`
      : code === "CSV_QUOTE_NOT_CLOSED"
        ? "a quote is opened and not closed."
        : "a quote within a quoted cell must be doubled.";
  return new AppError("invalid", `Line ${line}: ${reason} ${AGAIN}`);
}

async function* readNdjson(
  text: AsyncIterable<string>,
  columns: readonly string[],
): AsyncGenerator<SourceRow> {
  let line = 0;
  for await (const content of lines(text)) {
    line += 1;
    if (content.trim() !== "") yield ndjsonRow(line, content, columns);
  }
}

function ndjsonRow(line: number, content: string, columns: readonly string[]): SourceRow {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return { line, fault: "The line is not JSON." };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line, fault: "The line is not a JSON object." };
  }
  const unknown = Object.keys(value).filter((name) => !columns.includes(name));
  if (unknown.length > 0) return { line, fault: `Unknown columns: ${unknown.join(", ")}.` };
  return { line, fields: value as Fields };
}

/** @throws AppError `invalid` */
async function* lines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  let read = 0;
  for await (const piece of text) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
    read += parts.length;
    if (rest.length > LINE_LENGTH_MAX) {
      const reason = `the line is longer than ${LINE_LENGTH_MAX} characters.`;
      throw new AppError("invalid", `Line ${read + 1}: ${reason} ${AGAIN}`);
    }
  }
  if (rest !== "") yield rest;
}
