import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { type ImportKind, RowFault } from "../kinds/import-kind.ts";
import { type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { type CellRules, readCells } from "../kinds/read-cells.ts";
import type { Input } from "../reading/input.ts";
import type { Fields } from "../reading/input-row.ts";
import { nothingRecognized } from "../reading/recognized.ts";
import { type ReadingOptions, readRows } from "../reading/rows.ts";

/** Any rules will do: the numbers of rows are read in the same way under all of them. */
const RULES: CellRules = { timezone: MOSCOW_ZONE, messengerHosts: [], strict: true };

/**
 * Reads a file completely before any of its rows is written, so that an unreadable one changes nothing.
 * @returns highest number that a row names, or 0. Generated numbers start after it; otherwise a later row
 * would change the entry that was given its number.
 * @throws AppError `invalid`, as `readRows`
 */
export async function readThrough(
  input: Input,
  name: ImportKindName,
  reading: ReadingOptions,
): Promise<number> {
  const kind: ImportKind<{ id?: number }> = importKinds[name];
  let highest = 0;
  for await (const rows of readRows(input, name, reading, nothingRecognized(MOSCOW_ZONE))) {
    for (const row of rows) {
      if ("fields" in row) highest = Math.max(highest, numberIn(kind, row.fields));
    }
  }
  return highest;
}

/** A number in plain digits, fewer than the highest permitted number has. */
const PLAIN = /^[1-9]\d{0,14}$/;

function numberIn(kind: ImportKind<{ id?: number }>, { id }: Fields): number {
  if (id == null) return 0;
  // Nearly all are plain; reading each through its column would make an import take a fifth longer. The ids
  // of directories have a lower limit, which only the column knows.
  if (!kind.isDirectory && PLAIN.test(String(id))) return Number(id);
  try {
    return readCells(kind, { id }, RULES, []).id ?? 0;
  } catch (error) {
    // The row will be rejected when its turn comes.
    if (error instanceof RowFault) return 0;
    throw error;
  }
}
