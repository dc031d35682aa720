import type { Read } from "../../../values/fields.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { linkById, parseLinkOrHandle } from "../../channels/channel-reference.ts";
import { type Column, flagColumn, type Spelling, withoutZeros } from "../../fields/columns.ts";
import type { Fields } from "../reading/recognized.ts";
import { type BadCell, type Given, type ImportKind, RowFault } from "./import-kind.ts";

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
  // A channel's column may accept text that it cannot judge yet, and a handle's takes `name.t.me` for one.
  const { spelling } = column;
  const isLink = spelling === "handle" && typeof cell === "string" && cell.includes(".");
  const first = spelling === "channel" || isLink ? respelled(spelling, cell, rules) : cell;
  const read = column.read(first);
  if ("value" in read || column.spelling === undefined) return read;
  const ambiguous = ambiguousCount(column.spelling, first);
  if (ambiguous !== null) return { fault: ambiguous };
  const other = respelled(column.spelling, first, rules);
  return other === first ? read : column.read(other);
}

/** Whether a flag's cell says no, in any spelling that its column takes. */
export function saysNo(cell: unknown): boolean {
  const read = readCell(flagColumn(), cell, { timezone: "UTC", messengerHosts: [] });
  return "value" in read && !read.value;
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

interface SpellingRules {
  timezone: string;
  messengerHosts: readonly string[];
}

/**
 * Rewrites a cell that a column refused into the form it accepts, if it is one of people's usual spellings.
 * Any other text is only trimmed.
 */
function respelled(spelling: Spelling, cell: unknown, rules: SpellingRules): unknown {
  if (typeof cell !== "string" && typeof cell !== "number") return cell;
  const text = String(cell).trim();
  switch (spelling) {
    case "integer":
      return withoutZeros(text);
    case "flag":
      return RUSSIAN_FLAGS.get(text.toLowerCase()) ?? withoutZeros(text);
    case "count":
      return plainCount(withoutZeros(withoutGroups(text)));
    case "number":
      return text.replace(GROUP_SPACE, "").replace(/^([+-]?\d+),(\d+)$/, "$1.$2");
    case "instant":
      return plainInstant(text, rules.timezone);
    case "day":
      return plainDay(text);
    case "handle":
    case "channel":
      return plainChannel(text, spelling, rules.messengerHosts);
    case "address":
      return text.replace(SCHEMELESS, "https://$1");
    case "word":
      return text;
  }
}

/** An address as people type it, from its host on: `t.me/name`, `//example.com/a.jpg`. */
const SCHEMELESS = /^(?:\/\/)?((?:[\w-]+\.)+[a-z]{2,}(?:[/?#]\S*)?)$/i;

const RUSSIAN_FLAGS = new Map([
  ["да", "yes"],
  ["нет", "no"],
]);

/** A space of any width between groups of three digits. */
const GROUP_SPACE = /(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))/g;

/** Commas or points between groups of three digits: at least two, since a single one may be a decimal one. */
const GROUPED = /^\d{1,3}(?:(?:,\d{3}){2,}|(?:\.\d{3}){2,})$/;

/** `1 292 258`, `1,292,258` and `1.292.258` as `1292258`. */
function withoutGroups(text: string): string {
  return GROUPED.test(text) ? text.replace(/[.,]/g, "") : text.replace(GROUP_SPACE, "");
}

/** A single comma or point before three digits, in a number that is not below 1. */
const MAYBE_GROUPED = /^([1-9]\d{0,2})[.,](\d{3})$/;

/** Explains why a count such as `12,345` is refused, whose comma may be a decimal one; null for other cells. */
function ambiguousCount(spelling: Spelling, cell: unknown): Message | null {
  if (spelling !== "count" || typeof cell !== "string") return null;
  const [given, whole, rest] = MAYBE_GROUPED.exec(cell.trim()) ?? [];
  return given === undefined
    ? null
    : message("maybeThousands", { given, count: `${whole}${rest}` });
}

const ROUNDED = /^(\d{1,9}(?:[.,]\d{1,9})?)[ \u00a0]?([KМMК]|тыс\.?|млн\.?)$/i;

/** How spreadsheets and programs write large numbers: `1e5`, `1,2E+06`. */
const SCIENTIFIC = /^\d(?:[.,]\d{1,15})?e\+?\d{1,2}$/i;

/** `1.2K` and `3,4M`, in Latin or Cyrillic letters, and `220 тыс.` and `1,2 млн`. */
function plainCount(text: string): string {
  if (SCIENTIFIC.test(text)) return String(Number(text.replace(",", ".")));
  const [, number, unit = ""] = ROUNDED.exec(text) ?? [];
  if (number === undefined) return text;
  const times = /^[KКт]/i.test(unit) ? 1000 : 1_000_000;
  return String(Math.round(Number(number.replace(",", ".")) * times));
}

const RUSSIAN_DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?=$|[ ,T])/;

/** `01.02.2025` as `2025-02-01`, followed by whatever comes after it. */
function isoDate(text: string): string {
  return text.replace(RUSSIAN_DATE, (_, day: string, month: string, year: string) => {
    return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  });
}

/** A day, even if a spreadsheet appended midnight to it. */
function plainDay(text: string): string {
  return isoDate(text).replace(/^(\d{4}-\d\d-\d\d)[ T]00:00(?::00(?:\.0+)?)?$/, "$1");
}

const UNIX_TIME = /^(\d{9,14})(?:\.\d+)?$/;
/** Unix times with at least 12 digits are in milliseconds: in seconds they would be after the year 5000. */
const MILLISECOND_DIGITS = 12;

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)(?:(?:[T ]|, ?)(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/;

/** Unix seconds and milliseconds, and times without an offset; a date alone means its midnight. */
function plainInstant(text: string, timezone: string): string {
  const unix = UNIX_TIME.exec(text)?.[1];
  if (unix !== undefined) {
    const isSeconds = unix.length < MILLISECOND_DIGITS;
    return new Date(isSeconds ? Number(text) * 1000 : Number(unix)).toISOString();
  }
  const [, date, time = "00:00"] = LOCAL_TIME.exec(isoDate(text)) ?? [];
  if (date === undefined) return text;
  try {
    const local = Temporal.PlainDateTime.from(`${date}T${time.slice(0, 12)}`);
    return local.toZonedDateTime(timezone).toInstant().toString();
  } catch {
    // The column will report a date or time that does not exist.
    return text;
  }
}

function plainChannel(
  text: string,
  spelling: "handle" | "channel",
  hosts: readonly string[],
): string {
  // No service number is negative, and none begins with a letter.
  if (/^-\d+$/.test(text)) return linkById(text) ?? text;
  const named = /^[a-z]\w*$/i.test(text) ? `@${text}` : text;
  const reference = parseLinkOrHandle(named, hosts);
  if (reference?.kind !== "handle") return withoutZeros(text);
  return spelling === "handle" ? reference.handle : `@${reference.handle}`;
}
