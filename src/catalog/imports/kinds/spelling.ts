import { type Message, message } from "../../../values/messages/messages.ts";
import { parseLinkOrHandle } from "../../channels/channel-reference.ts";
import { type Spelling, withoutZeros } from "../../fields/columns.ts";

export interface SpellingRules {
  timezone: string;
  messengerHosts: readonly string[];
}

/**
 * Rewrites a cell that a column refused into the form it accepts, if it is one of people's usual spellings.
 * Any other text is only trimmed.
 */
export function respelled(spelling: Spelling, cell: unknown, rules: SpellingRules): unknown {
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
    case "word":
      return text;
  }
}

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
export function ambiguousCount(spelling: Spelling, cell: unknown): Message | null {
  if (spelling !== "count" || typeof cell !== "string") return null;
  const [given, whole, rest] = MAYBE_GROUPED.exec(cell.trim()) ?? [];
  return given === undefined
    ? null
    : message("maybeThousands", { given, count: `${whole}${rest}` });
}

const ROUNDED = /^(\d{1,9}(?:[.,]\d{1,9})?)[ \u00a0]?([KМMК]|тыс\.?|млн\.?)$/i;

/** `1.2K` and `3,4M`, in Latin or Cyrillic letters, and `220 тыс.` and `1,2 млн`. */
function plainCount(text: string): string {
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
  const reference = parseLinkOrHandle(text, hosts);
  if (reference?.kind !== "handle") return withoutZeros(text);
  return spelling === "handle" ? reference.handle : `@${reference.handle}`;
}
