import { csvCell, csvLine } from "../../../catalog/exports/csv-line.ts";
import type { View } from "./view.ts";

/** Invisible characters: some reverse the text that follows, or hide what a cell begins with. */
const UNSEEN = /\p{Bidi_Control}|[\u00ad\u200b\u2060\ufeff]|(?![\t\n\r])\p{Cc}/gu;

const CELLS = { isNullable: false, isRaw: false };

/**
 * Rows as a CSV file, without cells that spreadsheets would run and without misleading characters; columns
 * are named after the fields.
 */
export function csvDownload<Row extends object>(
  fileName: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): View {
  const lines = rows.map((row) => csvLine(columns.map((name) => cellOf(row[name]))));
  const body = new Blob([csvLine(columns), ...lines]).stream();
  return { kind: "download", fileName, type: "text/csv; charset=utf-8", body };
}

function cellOf(value: unknown): string {
  return csvCell(typeof value === "string" ? value.replace(UNSEEN, "") : value, CELLS);
}
