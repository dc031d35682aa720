import {
  type Reader,
  readChoice,
  readDay,
  readFlag,
  readInteger,
  readNumber,
} from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { type Day, parseInstant } from "../../values/moscow-time.ts";

/** Kinds of values that people write in more ways than one. */
export type Spelling =
  | "integer"
  | "count"
  | "number"
  | "flag"
  | "instant"
  | "day"
  | "handle"
  | "channel"
  | "word";

/**
 * A column of an import: from a CSV cell (a text, never empty) or a JSON value (never null) to the
 * value that is stored.
 */
export interface Column<T> {
  /** Whether NDJSON's null clears it; for the others null counts as not given. */
  nullable: boolean;
  /** How people write it otherwise than `read` takes it; absent for texts, which are taken as they are. */
  spelling?: Spelling;
  read: Reader<T>;
}

/** Below the largest safe integer, so that the database can still choose larger ids after it. */
export const ID_MAX = 2 ** 52;

export function nullable<T>(column: Column<T>): Column<T> {
  return { ...column, nullable: true };
}

function column<T>(read: Reader<T>, spelling?: Spelling): Column<T> {
  return { nullable: false, read, ...(spelling && { spelling }) };
}

/** A number by which something is known. */
export function integerColumn(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Column<number> {
  return column(readInteger({ minimum, maximum }), "integer");
}

/** How many there are of something, as people also round it: `1.2K`. */
export function countColumn(): Column<number> {
  return { ...integerColumn(0), spelling: "count" };
}

/** A whole number of a text: tables write those of a column with gaps as `1476.0`, rounded to 15 digits. */
export function withoutZeros(text: string): string {
  return /^[+-]?\d{1,15}[.,]0+$/.test(text) ? text.replace(/[.,]0+$/, "") : text;
}

/** Whether JSON's reading of a whole number may have rounded it. */
function isRounded(given: unknown): boolean {
  return Number.isInteger(given) && !Number.isSafeInteger(given);
}

const POST_ID_MAX = 2n ** 63n - 1n;

/** A messenger's number of a post, as decimal digits; of MAX's `mid.…` the last 16 hexadecimal digits. */
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

/** A messenger's id that is kept as text, whatever it is made of. */
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

/** Takes out NUL and lone surrogates: with them SQLite would keep another text than the one given. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Text as it is, without NUL and lone surrogates. */
export function textColumn(lengthMax: number): Column<string> {
  return column((given) => {
    if (typeof given !== "string") return { fault: message("notText") };
    const value = storable(given);
    // Code points are never more than code units, so most texts need no counting.
    return value.length > lengthMax && [...value].length > lengthMax
      ? { fault: message("tooLong", { characters: lengthMax }) }
      : { value };
  });
}

/** Text on one line: line breaks and other control characters become spaces; not blank. */
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
  const read = readChoice(options);
  return column((given) => {
    const result = read(given);
    if ("value" in result || result.fault.code !== "notChoice") return result;
    return { fault: message("notChoiceOf", { ...result.fault.values, options }) };
  }, "word");
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

/** Longest name of a category or territory. */
const ENTRY_NAME_MAX = 200;

/** A code, or the name of what has it: only the database can tell whose it is. */
export function slugOrNameColumn(): Column<string> {
  const slug = slugColumn();
  return column((given) => {
    const isName = typeof given === "string" && given.length <= ENTRY_NAME_MAX;
    return isName && !SLUG.test(given.trim()) ? { value: given } : slug.read(given);
  }, "word");
}

/** Items separated by spaces, or a JSON array of them. */
function itemsOf(given: unknown): unknown[] {
  const items: unknown[] = Array.isArray(given) ? given : String(given).split(/\s+/);
  return items.filter((item) => item !== "");
}

/** A list in CSV that is known to have no items, where an empty cell says that nothing is known. */
export const NO_ITEMS = "no";

/** Some of the options, separated by spaces or in a JSON array; each kept once. */
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

/** Slugs separated by spaces, or a JSON array of them; each kept once. */
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

/** An instant since 1970 in epoch milliseconds. */
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

/** An address of the web. */
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
  }, "word");
}

/**
 * `channel` of statistics and posts: a service number, or an `@handle` or link, which is read where the
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
