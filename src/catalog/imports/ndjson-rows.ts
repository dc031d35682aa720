import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { type Fields, LINE_LENGTH_MAX, type SourceRow } from "./source-row.ts";

/** The rows of NDJSON, as many together as a piece has. @throws AppError `invalid` at an endless line */
export async function* readNdjson(
  text: AsyncIterable<string>,
  columns: readonly string[],
): AsyncGenerator<SourceRow[]> {
  let line = 0;
  const toRows = (contents: readonly string[]): SourceRow[] => {
    const rows: SourceRow[] = [];
    for (const content of contents) {
      line += 1;
      if (content.trim() !== "") rows.push(toRow(line, content, columns));
    }
    return rows;
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
  yield toRows([rest]);
}

function toRow(line: number, content: string, columns: readonly string[]): SourceRow {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return { line, fault: message("lineNotJson") };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line, fault: message("lineNotObject") };
  }
  const unknown = Object.keys(value).filter((name) => !columns.includes(name));
  if (unknown.length > 0) return { line, fault: message("unknownColumns", { columns: unknown }) };
  return { line, fields: value as Fields };
}
