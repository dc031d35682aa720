import { type CsvError, type Parser, parse } from "csv-parse";
import { AppError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { unescapeText } from "../../fields/spreadsheet-text.ts";
import type { ColumnNames } from "./column-names.ts";
import { beginningOf, prepend } from "./input.ts";
import { type Fields, type InputRow, LINE_LENGTH_MAX, type Separator } from "./recognized.ts";

const OTHER_NUMBER_OF_CELLS = message("otherNumberOfCells");
/** Errors of the parser that reject a row. */
const ROW_FAULTS = new Map<CsvError["code"], Message>([
  ["INVALID_OPENING_QUOTE", message("quoteInCell")],
  ["CSV_RECORD_INCONSISTENT_COLUMNS", OTHER_NUMBER_OF_CELLS],
]);

/**
 * Text without these can simply be split at line breaks and separators; any other text goes through the
 * parser.
 */
const QUOTE_OR_CARRIAGE_RETURN = /["\r]/;

/** Cell separators; if a header contains two of them equally often, the first wins. */
const SEPARATORS: readonly Separator[] = [",", ";", "\t"];

/** Our columns in the file's order; null for an ignored one. */
type Header = (string | null)[];

/** Findings from the part of a text before its first quote, which is split without the parser. */
interface UnquotedPart {
  separator: Separator;
  header: Header | null;
  lines: number;
}

/**
 * Rows of a CSV text, in batches of one piece of the text. Up to the first quote, rows are split off in a
 * tenth of the parser's time; from there on the parser takes over.
 * @param onSeparator receives the header's separator
 * @throws AppError `invalid` for an invalid header, and if the end of a row cannot be determined
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  names: ColumnNames,
  onSeparator: (separator: Separator) => void,
): AsyncGenerator<InputRow[]> {
  const clean = withoutSeparatorLine(withoutCarriageReturns(text));
  const first = await beginningOf(clean, hasFirstLine);
  const pieces = prepend(first, clean);
  const separator = separatorOf(first);
  onSeparator(separator);
  const unquoted: UnquotedPart = { separator, header: null, lines: 0 };
  let rest = "";
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    const piece = next.value;
    if (QUOTE_OR_CARRIAGE_RETURN.test(piece)) {
      yield* parseCsv(prepend(rest + piece, pieces), names, unquoted);
      return;
    }
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield splitRows(lines, names, unquoted);
    if (rest.length > LINE_LENGTH_MAX) throw unreadable(unquoted.lines + 1, "CSV_MAX_RECORD_SIZE");
  }
  yield splitRows([rest], names, unquoted);
  if (unquoted.header === null) throw new AppError("invalid", message("noHeader"));
}

/** Whether a text contains the end of its first line that is not blank. */
function hasFirstLine(text: string): boolean {
  // Not a regular expression: on megabytes without a line end, a pattern takes minutes.
  return text.trimStart().includes("\n");
}

/** A line before the header, by which exports name their separator to Excel. */
const SEPARATOR_LINE = /^"?sep=[,;\t]"?(?=\n)/i;
const SEPARATOR_LINE_LENGTH_MAX = '"sep=;"\n'.length;

/** Empties that line, if there is one, so that the lines after it keep their numbers. */
async function* withoutSeparatorLine(text: AsyncIterable<string>): AsyncGenerator<string> {
  let start: string | null = "";
  for await (const piece of text) {
    if (start === null) {
      yield piece;
      continue;
    }
    start += piece;
    if (start.length < SEPARATOR_LINE_LENGTH_MAX) continue;
    yield start.replace(SEPARATOR_LINE, "");
    start = null;
  }
  if (start !== null) yield start;
}

/** The separator that occurs most often in the header, outside quotes. */
function separatorOf(first: string): Separator {
  const header = first.trimStart().split("\n", 1)[0] ?? "";
  const plain = header.replace(/"[^"]*"?/g, "");
  const count = (separator: Separator): number => plain.split(separator).length;
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0] as Separator;
}

/** Converts every line ending to LF, including those within cells. */
async function* withoutCarriageReturns(text: AsyncIterable<string>): AsyncGenerator<string> {
  let held = "";
  for await (const piece of text) {
    const whole = held + piece;
    held = whole.endsWith("\r") ? "\r" : "";
    yield whole.slice(0, whole.length - held.length).replaceAll("\r\n", "\n");
  }
  yield held;
}

/** Rows of complete lines without quotes; the first line that is not empty is the header. */
function splitRows(
  lines: readonly string[],
  names: ColumnNames,
  unquoted: UnquotedPart,
): InputRow[] {
  const rows: InputRow[] = [];
  for (const content of lines) {
    unquoted.lines += 1;
    if (content === "") continue;
    const cells = content.split(unquoted.separator);
    const { header, lines: line } = unquoted;
    if (header === null) unquoted.header = checkHeader(cells, names);
    else if (cells.length !== header.length) rows.push({ line, fault: OTHER_NUMBER_OF_CELLS });
    else rows.push({ line, fields: toFields(header, cells) });
  }
  return rows;
}

function toFields(header: Readonly<Header>, cells: readonly string[]): Fields {
  const fields: Fields = {};
  for (let at = 0; at < cells.length; at++) {
    const column = header[at];
    if (cells[at] !== "" && column != null) fields[column] = unescapeText(cells[at] as string);
  }
  return fields;
}

/** Parses text with quoted cells. @param unquoted the part of the file before this text */
async function* parseCsv(
  text: AsyncIterable<string>,
  names: ColumnNames,
  unquoted: UnquotedPart,
): AsyncGenerator<InputRow[]> {
  const rows: InputRow[] = [];
  const parser = createParser(names, unquoted, (row) => rows.push(row));
  // Errors also reach the call that caused them, which throws them.
  parser.on("error", () => {});
  for await (const piece of text) {
    await called((done) => parser.write(piece, done));
    yield rows.splice(0);
  }
  await called((done) => parser.end(done));
  if (unquoted.header === null) throw new AppError("invalid", message("noHeader"));
  yield rows;
}

/** Settles when a stream calls back. */
function called(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error ? reject(error) : resolve()));
  });
}

/**
 * A parser of the text after the unquoted part.
 * @param onRow receives rows and rejected lines in the order of the text, instead of the parser's reader
 */
function createParser(
  names: ColumnNames,
  unquoted: UnquotedPart,
  onRow: (row: InputRow) => void,
): Parser {
  let lastLine = unquoted.lines;
  /** Line on which a record starts; its raw text may begin with blank lines. */
  const lineOf = (raw: string): number => lastLine + 1 + leadingLineBreaks(raw);
  const reject = (error: CsvError, raw: string): void => {
    const line = lineOf(raw);
    const endLine = unquoted.lines + Number(error["lines"]);
    const fault = ROW_FAULTS.get(error.code);
    if (fault === undefined) throw unreadable(line, error.code);
    // The parser reports a row once for each such quote, and again for its number of cells.
    if (lastLine !== endLine) onRow({ line, fault });
    lastLine = endLine;
  };
  const parser = parse({
    columns:
      unquoted.header ??
      ((cells: string[]) => {
        lastLine = unquoted.lines + parser.info.lines;
        unquoted.header = checkHeader(cells, names);
        return unquoted.header;
      }),
    delimiter: unquoted.separator,
    info: true,
    max_record_size: LINE_LENGTH_MAX,
    on_record: ({ record, info }: CsvRecord): null => {
      onRow({ line: lineOf(info.raw), fields: withoutEmpty(record) });
      lastLine = unquoted.lines + info.lines;
      return null;
    },
    on_skip: (error, raw) => {
      if (error !== undefined) reject(error, raw ?? "");
      return undefined;
    },
    raw: true,
    // Earlier lines ended with LF. Without any, the parser goes by the end of the first line, which may be
    // CR.
    ...(unquoted.lines > 0 && { record_delimiter: "\n" }),
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  return parser;
}

interface CsvRecord {
  record: Record<string, string>;
  info: { raw: string; lines: number };
}

function leadingLineBreaks(text: string): number {
  let count = 0;
  while (text[count] === "\n") count += 1;
  return count;
}

function checkHeader(cells: readonly string[], names: ColumnNames): Header {
  const theirs = cells.map((name) => name.trim());
  const columns = names.resolveAll(theirs);
  const unknown = theirs.filter((_, at) => columns[at] === undefined);
  names.requireKind(theirs);
  if (unknown.length > 0) {
    const { known } = names;
    throw new AppError("invalid", message("unknownColumnsInHeader", { unknown, known }));
  }
  const header = columns as Header;
  const repeated = header.find((name, at) => name !== null && header.indexOf(name) !== at);
  if (repeated != null) {
    throw new AppError("invalid", message("columnTwice", { column: repeated }));
  }
  return header;
}

function withoutEmpty(record: Record<string, string>): Fields {
  const fields: Fields = {};
  for (const name in record) {
    if (record[name] !== "") fields[name] = unescapeText(record[name] as string);
  }
  return fields;
}

/** A broken quote ends the import: it is impossible to tell where its row ends and the next begins. */
function unreadable(line: number, code: CsvError["code"]): AppError {
  if (code === "CSV_MAX_RECORD_SIZE") {
    return new AppError("invalid", message("rowTooLong", { line, characters: LINE_LENGTH_MAX }));
  }
  const fault = code === "CSV_QUOTE_NOT_CLOSED" ? "quoteNotClosed" : "quoteNotDoubled";
  return new AppError("invalid", message(fault, { line }));
}
