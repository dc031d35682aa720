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

/** The format that a file's name tells; null where it tells none, and the content must. */
export function formatOf(path: string): ImportFormat | null {
  return FORMATS_BY_ENDING[extname(path).toLowerCase()] ?? null;
}

/**
 * The rows of a source, streamed: those of a piece of its text together, since handing them on one
 * by one costs as much as reading them. Columns that the kind does not have are refused by name: in a
 * CSV header at once, in NDJSON row by row.
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
    // What begins with a brace or bracket is no CSV header of ours.
    const isCsv = format === null ? !/^\s*[{[]/.test(first) : format === "csv";
    const whole = prepend(first, text);
    yield* isCsv ? readCsv(whole, columns) : readNdjson(whole, columns);
  } finally {
    // Where the reading ends early the file would stay open. Nobody waits for it: a pipe that says
    // nothing is closed only after its next piece.
    void text.return(undefined).catch(() => {});
  }
}
