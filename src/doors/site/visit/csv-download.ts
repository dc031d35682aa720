import { csvCell, csvLine } from "../../../catalog/exports/csv-line.ts";
import type { View } from "./view.ts";

const CELLS = { isNullable: false, isRaw: false };

/** Rows as a CSV file whose cells no spreadsheet runs; the columns are the names of the fields. */
export function csvDownload<Row extends object>(
  fileName: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): View {
  const lines = rows.map((row) => csvLine(columns.map((name) => csvCell(row[name], CELLS))));
  const body = new Blob([csvLine(columns), ...lines]).stream();
  return { kind: "download", fileName, type: "text/csv; charset=utf-8", body };
}
