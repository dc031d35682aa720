import { extname } from "node:path";
import { readCsv } from "./csv-rows.ts";
import { readNdjson } from "./ndjson-rows.ts";
import { decodeUtf8, prepend, type Source } from "./source.ts";
import type { SourceRow } from "./source-row.ts";

export type ImportFormat = "csv" | "ndjson";
export const IMPORT_FORMATS: readonly ImportFormat[] = ["csv", "ndjson"];

const FORMATS_BY_ENDING: Record<string, ImportFormat> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

/** The format by the ending of a file's name; null where the content has to tell. */
export function formatOf(path: string): ImportFormat | null {
  return FORMATS_BY_ENDING[extname(path).toLowerCase()] ?? null;
}

/**
 * Streams the rows of a source, as many together as a piece of its text has: handing them on one by one
 * costs as much as reading them. Columns that the kind does not have are refused by name, in CSV once
 * for the header, in NDJSON row by row.
 * @throws AppError `invalid` for a wrong header
 */
export async function* readRows(
  source: Source,
  format: ImportFormat | null,
  columns: readonly string[],
  onBytes: (total: number) => void,
): AsyncGenerator<SourceRow[]> {
  const text = decodeUtf8(source, onBytes);
  try {
    const { value: first = "" } = await text.next();
    // No CSV header of ours begins with a brace or bracket.
    const isCsv = format === null ? !/^\s*[{[]/.test(first) : format === "csv";
    const whole = prepend(first, text);
    yield* isCsv ? readCsv(whole, columns) : readNdjson(whole, columns);
  } finally {
    // Closes the file where the reading ends early. Nobody waits for that: a silent pipe is closed only
    // after its next piece.
    void text.return(undefined).catch(() => {});
  }
}
