import { AppError } from "../../errors.ts";
import { type Fields, LINE_LENGTH_MAX, MEND_AND_REPEAT, type SourceRow } from "./source-row.ts";

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
      const reason = `the line is longer than ${LINE_LENGTH_MAX} characters.`;
      throw new AppError("invalid", `Line ${line + 1}: ${reason} ${MEND_AND_REPEAT}`);
    }
  }
  yield toRows([rest]);
}

function toRow(line: number, content: string, columns: readonly string[]): SourceRow {
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
