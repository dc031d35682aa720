import { type ImportKind, RowFault } from "../kinds/import-kind.ts";
import { type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { type CellRules, readCells } from "../kinds/read-cells.ts";
import type { Input } from "../reading/input.ts";
import { type Fields, type InputRow, nothingRecognized } from "../reading/recognized.ts";
import { type ReadingOptions, readRows } from "../reading/rows.ts";
import { ROWS_TRIED } from "./import-summary.ts";
import { readAll } from "./write-rows.ts";

/**
 * Reads a file completely before any of its rows is written, so that an unreadable one changes nothing. One
 * whose first rows will all be rejected, for their cells alone, is not read further: the import ends there.
 * @returns highest number that a row names, or 0. Generated numbers start after it; otherwise a later row
 * would change the entry that was given its number.
 * @throws AppError `invalid`, as `readRows`
 */
export async function readThrough(
  input: Input,
  name: ImportKindName,
  reading: ReadingOptions,
  rules: CellRules,
): Promise<number> {
  const kind: ImportKind<{ id?: number }> = importKinds[name];
  let highest = 0;
  let read = 0;
  let hasGood = false;
  for await (const rows of readRows(input, name, reading, nothingRecognized(rules.timezone))) {
    for (const row of rows) {
      read += 1;
      hasGood ||= isGood(kind, row, rules);
      if ("fields" in row) highest = Math.max(highest, numberIn(kind, row.fields, rules));
    }
    if (!hasGood && read >= ROWS_TRIED) break;
  }
  return highest;
}

/** Whether a row's cells can be read. */
function isGood(kind: ImportKind<{ id?: number }>, row: InputRow, rules: CellRules): boolean {
  const [read] = readAll(kind, [row], rules);
  return read !== undefined && "given" in read;
}

/** A number in plain digits, fewer than the highest permitted number has. */
const PLAIN = /^[1-9]\d{0,14}$/;

function numberIn(kind: ImportKind<{ id?: number }>, { id }: Fields, rules: CellRules): number {
  if (id == null) return 0;
  // Nearly all are plain; reading each through its column would make an import take a fifth longer. The ids
  // of directories have a lower limit, which only the column knows.
  if (!kind.isDirectory && PLAIN.test(String(id))) return Number(id);
  try {
    return readCells(kind, { id }, rules, []).id ?? 0;
  } catch (error) {
    // The row will be rejected when its turn comes.
    if (error instanceof RowFault) return 0;
    throw error;
  }
}
