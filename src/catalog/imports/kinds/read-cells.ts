import type { Read } from "../../../values/fields.ts";
import type { Column } from "../../fields/columns.ts";
import type { Fields } from "../reading/input-row.ts";
import { type BadCell, type Given, type ImportKind, RowFault } from "./import-kind.ts";
import { ambiguousCount, respelled, type SpellingRules } from "./spelling.ts";

/** How an import's cells are read: plain data. */
export interface CellRules extends SpellingRules {
  strict: boolean;
}

/** Whether an invalid cell of the column is dropped instead of rejecting its row. */
export function isOptional<Row>(
  { columns, requiredColumns }: ImportKind<Row>,
  column: string | null,
  { strict }: CellRules,
): column is string {
  if (strict || requiredColumns === undefined || column === null) return false;
  return column in columns && !requiredColumns.includes(column);
}

/**
 * Reads a row's fields as the kind's columns.
 * @param bad receives dropped cells
 * @throws RowFault for the first invalid cell that rejects the row
 */
export function readCells<Row>(
  kind: ImportKind<Row>,
  fields: Fields,
  rules: CellRules,
  bad: BadCell[],
): Given<Row> {
  const row: Given<Row> = {};
  for (const name in fields) {
    const column = kind.columns[name as keyof Row & string];
    const cell = fields[name];
    if (column === undefined || cell === undefined) continue;
    if (cell === null) {
      if (column.nullable) row[name as keyof Row] = null;
      continue;
    }
    if (isEmpty(column, cell)) continue;
    const read = readCell(column, cell, rules);
    if ("value" in read) row[name as keyof Row] = read.value;
    else if (isOptional(kind, name, rules)) bad.push({ column: name, fault: read.fault });
    else throw new RowFault(name, read.fault);
  }
  return row;
}

/** Tries other spellings only if the column refuses the cell as it is, which is rare. */
function readCell<T>(column: Column<T>, cell: unknown, rules: SpellingRules): Read<T> {
  if (typeof cell === "bigint") return readBig(column, cell);
  // A channel's column may accept text that it cannot judge yet.
  const first = column.spelling === "channel" ? respelled("channel", cell, rules) : cell;
  const read = column.read(first);
  if ("value" in read || column.spelling === undefined) return read;
  const ambiguous = ambiguousCount(column.spelling, first);
  if (ambiguous !== null) return { fault: ambiguous };
  const other = respelled(column.spelling, first, rules);
  return other === first ? read : column.read(other);
}

/**
 * Reads an integer beyond the safe range: rounded for a measure, exactly or not at all for other columns. A
 * column that refuses even the rounded number says best what to do about it.
 */
function readBig<T>(column: Column<T>, cell: bigint): Read<T> {
  const rounded = column.read(Number(cell));
  return "fault" in rounded || column.spelling === "number" ? rounded : column.read(cell);
}

const EMPTY_LENGTH_MAX = 8;
const EMPTY_WORD = /^\s*(?:none|null|nan)\s*$/i;

/**
 * Whether a cell counts as empty: it is blank, or one of the words that programs write for a missing value
 * (`None`, `null`, `NaN`). A required text may be such a word, so it is taken literally.
 */
function isEmpty({ spelling, nullable }: Column<unknown>, cell: unknown): boolean {
  if (typeof cell !== "string" || cell.length > EMPTY_LENGTH_MAX) return false;
  if (spelling !== undefined && cell !== "" && cell.trim() === "") return true;
  return (spelling !== undefined || nullable) && EMPTY_WORD.test(cell);
}
