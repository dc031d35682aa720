import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { AppError } from "../../../errors.ts";
import { isObject } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import type { ColumnNames } from "./column-names.ts";
import { type Fields, type InputRow, LINE_LENGTH_MAX } from "./recognized.ts";

/** Converts JSON values to rows; values that are not rows in the format, such as service messages, to none. */
export interface JsonRows {
  /** Where a document has rows and data beside them, as paths for the parser. */
  paths: readonly string[];
  /** @param key name of a value beside the rows; null for a row */
  toRow(line: number, value: unknown, key?: string | null): InputRow[];
  /**
   * Rows that follow at the end of the text. @throws AppError `invalid` if the text was not in this format
   */
  end?(line: number): InputRow[];
}

/** Converts objects whose keys are the kind's columns, or map to them. */
export function createJsonRows(names: ColumnNames): JsonRows {
  let isFirst = true;
  return {
    paths: ["$.*"],
    toRow(line, value) {
      if (!isObject(value)) return [{ line, fault: message("lineNotObject") }];
      const keys = Object.keys(value);
      if (isFirst) names.requireKind(keys);
      isFirst = false;
      if (keys.every((name) => names.isOurs(name))) return [{ line, fields: value }];
      const columns = names.resolveAll(keys);
      const unknown = keys.filter((_, at) => columns[at] === undefined);
      if (unknown.length > 0) {
        return [{ line, fault: message("unknownColumns", { columns: unknown }) }];
      }
      const fields: Fields = {};
      for (const [at, name] of keys.entries()) {
        const column = columns[at];
        if (column == null) continue;
        if (Object.hasOwn(fields, column)) {
          return [{ line, fault: message("columnTwiceInRow", { column }) }];
        }
        fields[column] = value[name];
      }
      return [{ line, fields }];
    },
  };
}

/**
 * Deepest nesting, the document's own level included. The parser keeps some 150 bytes for each open level, so
 * that a file of brackets alone would take 650 MB before its value counts as too long.
 */
const LEVELS_MAX = 500_000;

const OPENING: readonly TokenType[] = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET];
const CLOSING: readonly TokenType[] = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET];

const BETWEEN_VALUES: readonly TokenType[] = [TokenType.LEFT_BRACKET, TokenType.COMMA];

/**
 * Rows of a JSON document, read as a stream, in batches of one piece of the text.
 * @throws AppError `invalid` naming the line if the text is not JSON, a value does not end, or is nested
 *   too deeply
 */
export async function* readJson(
  text: AsyncIterable<string>,
  { paths, toRow, end }: JsonRows,
): AsyncGenerator<InputRow[]> {
  let line = 1;
  /** Line on which the current value begins; null between values. */
  let startLine: number | null = null;
  let charactersOfValue = 0;
  let levels = 0;
  let rows: InputRow[] = [];
  const tokenizer = new ExactTokenizer();
  const parser = new TokenParser({ paths: [...paths], keepStack: false });
  tokenizer.onToken = (token) => {
    if (!BETWEEN_VALUES.includes(token.token)) startLine ??= line;
    if (OPENING.includes(token.token)) levels += 1;
    else if (CLOSING.includes(token.token)) levels -= 1;
    if (levels > LEVELS_MAX) {
      const where = { line: startLine ?? line, levels: LEVELS_MAX };
      throw new AppError("invalid", message("valueTooDeep", where));
    }
    parser.write(token);
  };
  parser.onValue = ({ value, key }) => {
    rows.push(...toRow(startLine ?? line, value, typeof key === "string" ? key : null));
    startLine = null;
    charactersOfValue = 0;
  };
  for await (const piece of text) {
    const contents = piece.split("\n");
    for (const [at, content] of contents.entries()) {
      const isLast = at === contents.length - 1;
      charactersOfValue += content.length;
      write(isLast ? content : `${content}\n`);
      if (!isLast) line += 1;
    }
    if (charactersOfValue > LINE_LENGTH_MAX) {
      const where = { line: startLine ?? line, characters: LINE_LENGTH_MAX };
      throw new AppError("invalid", message("valueTooLong", where));
    }
    yield rows;
    rows = [];
  }
  if (!parser.isEnded) throw new AppError("invalid", message("jsonCutOff", { line }));
  yield [...rows, ...(end?.(line) ?? [])];

  function write(content: string): void {
    try {
      tokenizer.write(content);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError("invalid", message("jsonBroken", { line }));
    }
  }
}

class ExactTokenizer extends Tokenizer {
  /** Overridden, because the parser's own returns a rounded number; columns also accept bigints. */
  override parseNumber(digits: string): number {
    return exactNumber(digits) as number;
  }
}

/**
 * Rows of NDJSON, in batches of one piece of the text. A line that is not JSON is a rejected row.
 * @throws AppError `invalid` for a line that is too long
 */
export async function* readNdjson(
  text: AsyncIterable<string>,
  { toRow, end }: JsonRows,
): AsyncGenerator<InputRow[]> {
  let line = 0;
  const toRows = (contents: readonly string[]): InputRow[] => {
    const rows: InputRow[] = [];
    for (const content of contents) {
      line += 1;
      if (content.trim() !== "") rows.push(...parsed(line, content));
    }
    return rows;
  };
  const parsed = (line: number, content: string): InputRow[] => {
    let value: unknown;
    try {
      value = parseExact(content);
    } catch {
      return [{ line, fault: message("lineNotJson") }];
    }
    return toRow(line, value);
  };
  let rest = "";
  for await (const piece of text) {
    const contents = (rest + piece).split("\n");
    rest = contents.pop() ?? "";
    yield toRows(contents);
    if (rest.length > LINE_LENGTH_MAX) {
      const where = { line: line + 1, characters: LINE_LENGTH_MAX };
      throw new AppError("invalid", message("lineTooLong", where));
    }
  }
  yield [...toRows([rest]), ...(end?.(line) ?? [])];
}

/**
 * Converts a JSON number from its digits. An integer beyond the safe range becomes a bigint, so that a
 * column can accept or refuse it exactly instead of rounding silently.
 */
function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
}

/** So many digits that the number may exceed the safe range. */
const LONG_NUMBER = /\d{16}/;

/** As JSON.parse, but with exact integers. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && context?.source !== undefined
    ? exactNumber(context.source)
    : value;
}

/** `JSON.rawJSON` is part of ECMAScript 2026, but not yet of the types. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

/**
 * As JSON.stringify, with bigints written as numbers. A value nested too deeply to be written, which
 * JSON.parse accepts, is replaced by a text that says so.
 */
export function stringifyExact(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, one) =>
      typeof one === "bigint" ? (JSON as RawJson).rawJSON(String(one)) : one,
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return '"nested too deeply"';
  }
}
