import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { AppError } from "../../../errors.ts";
import { isObject } from "../../../values/json-object.ts";
import { message } from "../../../values/messages/messages.ts";
import type { ColumnNames } from "./column-names.ts";
import { exactNumber } from "./exact-number.ts";
import { type Fields, type InputRow, LINE_LENGTH_MAX } from "./input-row.ts";

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
      const unknown = keys.filter((name) => names.resolve(name) === undefined);
      if (unknown.length > 0) {
        return [{ line, fault: message("unknownColumns", { columns: unknown }) }];
      }
      if (keys.every((name) => names.resolve(name) === name)) return [{ line, fields: value }];
      const fields: Fields = {};
      for (const name of keys) {
        const column = names.resolve(name);
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
