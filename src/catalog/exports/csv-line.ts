import { NO_ITEMS } from "../fields/columns.ts";
import { EMPTY_TEXT, escapeText } from "../fields/spreadsheet-text.ts";

const QUOTED = /[",\r\n]/;
const QUOTED_FOR_EXCEL = /[";\r\n]/;

/** Byte order mark: with it, Excel reads a CSV file as UTF-8. */
export const EXCEL_MARK = "\ufeff";

/** @param isExcel separates cells by semicolons and ends lines as Windows does */
export function csvLine(cells: readonly string[], isExcel = false): string {
  const special = isExcel ? QUOTED_FOR_EXCEL : QUOTED;
  const written = cells.map((cell) => (special.test(cell) ? quoted(cell) : cell));
  return written.join(isExcel ? ";" : ",") + (isExcel ? "\r\n" : "\n");
}

/**
 * Writes a value as a cell: null as an empty one, a list separated by spaces, one of objects as JSON.
 * @param isNullable whether an empty text or list differs from null
 * @param isRaw leaves texts that a spreadsheet would run as they are
 */
export function csvCell(
  value: unknown,
  { isNullable, isRaw }: { isNullable: boolean; isRaw: boolean },
): string {
  if (value == null) return "";
  if (Array.isArray(value)) {
    if (typeof value[0] === "object") return JSON.stringify(value);
    return value.length === 0 && isNullable ? NO_ITEMS : value.join(" ");
  }
  if (typeof value !== "string") return String(value);
  return value === "" && isNullable ? EMPTY_TEXT : escapeText(value, isRaw);
}

/**
 * A line break of CR and LF gets a second CR: within cells the import reads CR LF as LF, as spreadsheets
 * do, so this restores the original text.
 */
function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""').replaceAll("\r\n", "\r\r\n")}"`;
}
