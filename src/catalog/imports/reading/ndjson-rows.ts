import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { parseExact } from "./exact-number.ts";
import { type InputRow, LINE_LENGTH_MAX } from "./input-row.ts";
import type { JsonRows } from "./json-rows.ts";

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
