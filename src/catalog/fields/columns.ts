import type { Reader } from "../../values/fields.ts";
import { readDay, readFlag, readInteger, readNumber, readOneOf } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { type Day, parseInstant } from "../../values/moscow-time.ts";

/** Kinds of values that people spell in several ways (imports/kinds/read-cells.ts). */
export type Spelling =
  | "integer"
  | "count"
  | "number"
  | "flag"
  | "instant"
  | "day"
  | "handle"
  | "channel"
  | "address"
  | "word";

/**
 * A column of an import: converts a CSV cell (non-empty text) or a JSON value (not null) to the stored
 * value.
 */
export interface Column<T> {
  /** Whether null in NDJSON clears the value; otherwise null counts as not given. */
  nullable: boolean;
  /** Other spellings to accept beside what `read` takes; absent for texts, which are taken literally. */
  spelling?: Spelling;
  read: Reader<T>;
}

/** Below the largest safe integer, so that the database can still choose larger ids. */
export const ID_MAX = 2 ** 52;

export function nullable<T>(column: Column<T>): Column<T> {
  return { ...column, nullable: true };
}

export function column<T>(read: Reader<T>, spelling?: Spelling): Column<T> {
  return { nullable: false, read, ...(spelling && { spelling }) };
}

export function integerColumn(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Column<number> {
  return column(readInteger({ minimum, maximum }), "integer");
}

/** Beyond all people with a messenger a hundred times over: such a count is a mistake. */
const COUNT_MAX = 1e12;

/** A quantity, which people may also round: `1.2K`. */
export function countColumn(): Column<number> {
  return { ...integerColumn(0, COUNT_MAX), spelling: "count" };
}

/**
 * Removes a zero fraction: spreadsheets and data frames write integers of a column with gaps as `1476.0`,
 * rounded to 15 digits. `12,000` and `12.000` stay as they are, since they may also be twelve thousand.
 */
export function withoutZeros(text: string): string {
  if (/^[+-]?\d{1,3}[.,]000$/.test(text)) return text;
  return /^[+-]?\d{1,15}[.,]0+$/.test(text) ? text.replace(/[.,]0+$/, "") : text;
}

/** Whether parsing an integer from JSON may have rounded it. */
export function isRounded(given: unknown): boolean {
  return Number.isInteger(given) && !Number.isSafeInteger(given);
}

const POST_ID_MAX = 2n ** 63n - 1n;

/** A messenger's post number as decimal digits; for MAX's `mid.…`, its last 16 hexadecimal digits. */
export function postIdColumn(): Column<string> {
  return column((given) => {
    if (isRounded(given)) return { fault: message("giveAsString") };
    const isText = typeof given === "string" || typeof given === "number";
    const text = isText ? withoutZeros(String(given).trim()) : "";
    const [, hexadecimal] = /^mid\.[0-9a-f]*([0-9a-f]{16})$/i.exec(text) ?? [];
    const isNumber = hexadecimal !== undefined || /^\d{1,19}$/.test(text);
    const value = isNumber ? BigInt(hexadecimal === undefined ? text : `0x${hexadecimal}`) : null;
    return value === null || value > POST_ID_MAX
      ? { fault: message("notPostId", { maximum: String(POST_ID_MAX) }) }
      : { value: String(value) };
  });
}

/** A messenger's id that is stored as text, whatever its format. */
export function textIdColumn(lengthMax: number): Column<string> {
  const line = lineColumn(lengthMax);
  return column((given) =>
    isRounded(given) ? { fault: message("giveAsString") } : line.read(given),
  );
}

export function numberColumn(): Column<number> {
  return column(readNumber, "number");
}

export function flagColumn(): Column<boolean> {
  return column(readFlag, "flag");
}

/** Removes NUL and lone surrogates, with which SQLite would store another text. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

export function textColumn(lengthMax: number): Column<string> {
  return column((given) => {
    if (typeof given !== "string") return { fault: message("notText") };
    const value = storable(given);
    // Code points never outnumber code units, so most texts need no counting.
    return value.length > lengthMax && [...value].length > lengthMax
      ? { fault: message("tooLong", { characters: lengthMax }) }
      : { value };
  });
}

/** Single-line text: line breaks and other control characters become spaces; must not be blank. */
export function lineColumn(lengthMax: number): Column<string> {
  const whole = textColumn(lengthMax);
  return column((given) => {
    const read = whole.read(typeof given === "number" ? String(given) : given);
    if ("fault" in read) return read;
    const value = read.value.replace(/\p{Cc}+/gu, " ").trim();
    return value === "" ? { fault: message("blank") } : { value };
  });
}

export function choiceColumn<Option extends string>(options: readonly Option[]): Column<Option> {
  return column(readOneOf(options), "word");
}

const SLUG = /^[a-z0-9][a-z0-9_-]{0,99}$/;

export function slugColumn(): Column<string> {
  return column(
    (given) =>
      typeof given === "string" && SLUG.test(given)
        ? { value: given }
        : { fault: message("notSlug") },
    "word",
  );
}

const ENTRY_NAME_MAX = 200;

/** A slug, or a name as given: only the database knows which entry a name belongs to. */
export function slugOrNameColumn(): Column<string> {
  const slug = slugColumn();
  return column((given) => {
    const isName = typeof given === "string" && given.length <= ENTRY_NAME_MAX;
    return isName && !SLUG.test(given.trim()) ? { value: given } : slug.read(given);
  }, "word");
}

/** Items separated by spaces, or a JSON array of them. */
export function itemsOf(given: unknown): unknown[] {
  const items: unknown[] = Array.isArray(given) ? given : String(given).split(/\s+/);
  return items.filter((item) => item !== "");
}

/** Means in CSV that a list is known to be empty; an empty cell means that nothing is known. */
export const NO_ITEMS = "no";

/** Some of the options, separated by spaces or in a JSON array, without duplicates. */
export function choicesColumn<Option extends string>(options: readonly Option[]): Column<Option[]> {
  const one = choiceColumn(options);
  return column((given) => {
    if (typeof given === "string" && given.trim().toLowerCase() === NO_ITEMS) return { value: [] };
    const chosen = new Set<Option>();
    for (const item of itemsOf(given)) {
      const read = one.read(item);
      if ("fault" in read) return read;
      chosen.add(read.value);
    }
    return { value: [...chosen] };
  });
}

/** Slugs separated by spaces or in a JSON array, without duplicates. */
export function slugsColumn(): Column<string[]> {
  return column((given) => {
    const slugs = itemsOf(given);
    const wrong = slugs.find((item) => typeof item !== "string" || !SLUG.test(item));
    return wrong === undefined
      ? { value: [...new Set(slugs as string[])] }
      : { fault: message("notSlugItem", { given: String(wrong) }) };
  });
}

const INSTANT_MAX = Date.parse("9999-12-31T23:59:59.999+03:00");

/** An instant since 1970, in epoch milliseconds. */
export function instantColumn(): Column<number> {
  return column((given) => {
    const value = typeof given === "string" ? parseInstant(given.trim()) : null;
    return value === null || value < 0 || value > INSTANT_MAX
      ? { fault: message("notInstant") }
      : { value };
  }, "instant");
}

export function dayColumn(): Column<Day> {
  return column((given) => readDay(typeof given === "string" ? given.trim() : given), "day");
}

const ADDRESS_LENGTH_MAX = 2048;

export function addressColumn(): Column<string> {
  return column((given) => {
    if (
      typeof given !== "string" ||
      given.length > ADDRESS_LENGTH_MAX ||
      !/^https?:\/\/\S+$/i.test(given)
    ) {
      return { fault: message("notAddress") };
    }
    const value = storable(given);
    return URL.canParse(value) ? { value } : { fault: message("notAddress") };
  }, "address");
}

/**
 * `channel` of statistics and posts: a service number, or an `@handle` or link, which is resolved where the
 * messenger's hosts are known.
 */
export function channelColumn(): Column<number | string> {
  const numbers = integerColumn(1);
  return column<number | string>((given) => {
    const text = typeof given === "string" ? given.trim() : "";
    if (/^\S*[@/.:]\S*$/.test(text)) return { value: text };
    const number = numbers.read(given);
    return "value" in number ? number : { fault: message("notChannel") };
  }, "channel");
}
