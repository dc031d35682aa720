import { type Day, parseDay, parseInstant } from "../moscow-time.ts";

/** A column's value, or the sentence that says what is wrong with what the row gives. */
export type Read<T> = { value: T } | { fault: string };

/**
 * A column of an import: from a CSV cell (a text, never empty) or a JSON value (never null) to the
 * value that is stored.
 */
export interface Column<T> {
  /** Whether NDJSON's null clears it; for the others null counts as not given. */
  nullable: boolean;
  read(given: unknown): Read<T>;
}

/** Below the largest safe integer, so that the database can still choose larger ids after it. */
export const ID_MAX = 2 ** 52;

export function nullable<T>(column: Column<T>): Column<T> {
  return { ...column, nullable: true };
}

function column<T>(read: (given: unknown) => Read<T>): Column<T> {
  return { nullable: false, read };
}

export function integerColumn(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Column<number> {
  return column((given) => {
    const value =
      typeof given === "string" && /^[+-]?\d{1,16}$/.test(given) ? Number(given) : given;
    if (typeof value !== "number" || !Number.isSafeInteger(value)) {
      return { fault: "A valid integer is required." };
    }
    if (value < minimum) {
      return { fault: `Ensure this value is greater than or equal to ${minimum}.` };
    }
    return value > maximum
      ? { fault: `Ensure this value is less than or equal to ${maximum}.` }
      : { value };
  });
}

export function numberColumn(): Column<number> {
  return column((given) => {
    const value =
      typeof given === "string" && /^[+-]?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
    return typeof value === "number" && Number.isFinite(value)
      ? { value }
      : { fault: "A valid number is required." };
  });
}

export function flagColumn(): Column<boolean> {
  return column((given) => {
    const word = typeof given === "object" ? "" : String(given).toLowerCase();
    if (word === "true" || word === "1" || word === "yes") return { value: true };
    if (word === "false" || word === "0" || word === "no") return { value: false };
    return { fault: "Must be a valid boolean." };
  });
}

/** Text as it is, but for what no text may hold: NUL and lone surrogates. */
export function textColumn(lengthMax: number): Column<string> {
  return column((given) => {
    if (typeof given !== "string") return { fault: "Not a valid string." };
    const value = given.toWellFormed().replaceAll("\0", "");
    // Code points are never more than code units, so most texts need no counting.
    return value.length > lengthMax && [...value].length > lengthMax
      ? { fault: `Ensure this field has no more than ${lengthMax} characters.` }
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
    return value === "" ? { fault: "This field may not be blank." } : { value };
  });
}

export function choiceColumn<Option extends string>(options: readonly Option[]): Column<Option> {
  return column((given) => {
    const value = options.find((option) => option === given);
    return value === undefined
      ? { fault: `"${String(given)}" is not a valid choice. Allowed: ${options.join(", ")}.` }
      : { value };
  });
}

const SLUG = /^[a-z0-9][a-z0-9_-]{0,99}$/;

export function slugColumn(): Column<string> {
  return column((given) =>
    typeof given === "string" && SLUG.test(given)
      ? { value: given }
      : { fault: "Enter a code of lower-case letters, digits, hyphens and underscores." },
  );
}

/** Slugs separated by spaces, or a JSON array of them; each kept once. */
export function slugsColumn(): Column<string[]> {
  return column((given) => {
    const items = Array.isArray(given) ? given : String(given).split(/\s+/);
    const slugs = items.filter((item) => item !== "");
    const wrong = slugs.find((item) => typeof item !== "string" || !SLUG.test(item));
    return wrong === undefined
      ? { value: [...new Set(slugs as string[])] }
      : { fault: `"${String(wrong)}" is not a code.` };
  });
}

const INSTANT_MAX = Date.parse("9999-12-31T23:59:59.999+03:00");

/** An instant since 1970 in epoch milliseconds. */
export function instantColumn(): Column<number> {
  return column((given) => {
    const value = typeof given === "string" ? parseInstant(given.trim()) : null;
    return value === null || value < 0 || value > INSTANT_MAX
      ? { fault: "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999." }
      : { value };
  });
}

export function dayColumn(): Column<Day> {
  return column((given) => {
    const value = typeof given === "string" ? parseDay(given.trim()) : null;
    return value === null
      ? { fault: "Date has wrong format. Use one of these formats instead: YYYY-MM-DD." }
      : { value };
  });
}

/** An address of the web. */
export function addressColumn(lengthMax = 2048): Column<string> {
  return column((given) => {
    if (typeof given !== "string" || given.length > lengthMax || !/^https?:\/\/\S+$/i.test(given)) {
      return { fault: "Enter a valid URL." };
    }
    return URL.canParse(given) ? { value: given } : { fault: "Enter a valid URL." };
  });
}

/** `channel` of statistics and posts: a service number, or `@handle`. */
export function channelColumn(): Column<number | `@${string}`> {
  return column<number | `@${string}`>((given) => {
    if (typeof given === "string" && /^@\S+$/.test(given)) return { value: given as `@${string}` };
    const number = integerColumn(1).read(given);
    return "value" in number ? number : { fault: "Enter a service number or an @handle." };
  });
}
