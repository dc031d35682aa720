import { type Message, message } from "./messages/messages.ts";
import { type Day, parseDay } from "./moscow-time.ts";

/** Parsing of fields, wherever they come from: a query string, a CSV cell, a JSON value. */

/** A value, or what is wrong with the input. */
export type Read<T> = { value: T } | { fault: Message };

/** Parses one field: the value, or the fault to report. Never throws. */
export type Reader<T> = (given: unknown) => Read<T>;

export function unknownSlug(slug: string): Message {
  return message("unknownSlug", { slug: shortened(slug) });
}

export interface Range {
  minimum?: number;
  maximum?: number;
}

/** A safe integer, or its digits; the bounds are inclusive. */
export function readInteger({ minimum, maximum }: Range): Reader<number> {
  return (given) => {
    const value = parseInteger(given);
    if (value === null) return { fault: message("notInteger") };
    if (minimum !== undefined && value < minimum) {
      return { fault: message("tooSmall", { minimum }) };
    }
    if (maximum !== undefined && value > maximum) {
      return { fault: message("tooLarge", { maximum }) };
    }
    return { value };
  };
}

/** A finite number, or its text. */
export const readNumber: Reader<number> = (given) => {
  const isText = typeof given === "string" && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(given);
  const value = isText ? Number(given) : given;
  return typeof value === "number" && Number.isFinite(value)
    ? { value }
    : { fault: message("notNumber") };
};

/** Longest text, in code points: more than any title, handle, link, code or cursor needs. */
const TEXT_LENGTH_MAX = 2_048;

/** A text; or the digits of a number, which an AI model may send instead. */
export const readText: Reader<string> = (given) => {
  if (typeof given !== "string" && typeof given !== "number") {
    return { fault: message("notText") };
  }
  const value = String(given);
  return isLonger(value, TEXT_LENGTH_MAX)
    ? { fault: message("tooLong", { characters: TEXT_LENGTH_MAX }) }
    : { value };
};

/**
 * Whether a text has more code points than allowed. They are counted only if it matters: each is one or two
 * UTF-16 units.
 */
export function isLonger(text: string, lengthMax: number): boolean {
  if (text.length <= lengthMax) return false;
  return text.length > 2 * lengthMax || [...text].length > lengthMax;
}

/** Case-insensitive `true`, `false`, `1`, `0`, `yes`, `no` (specification, section 4). */
export const readFlag: Reader<boolean> = (given) => {
  const word = typeof given === "object" ? "" : String(given).toLowerCase();
  if (word === "true" || word === "1" || word === "yes") return { value: true };
  if (word === "false" || word === "0" || word === "no") return { value: false };
  return { fault: message("notFlag") };
};

export function readChoice<Option extends string>(options: readonly Option[]): Reader<Option> {
  return (given) => {
    if (typeof given === "object") return { fault: message("notText") };
    const value = options.find((option) => option === given);
    return value === undefined
      ? { fault: message("notChoice", { given: shortened(String(given)) }) }
      : { value };
  };
}

/** As `readChoice`, and names the options. */
export function readOneOf<Option extends string>(options: readonly Option[]): Reader<Option> {
  const read = readChoice(options);
  return (given) => {
    const found = read(given);
    return "fault" in found && typeof given !== "object"
      ? { fault: message("notChoiceOf", { given: shortened(String(given)), options }) }
      : found;
  };
}

/** `YYYY-MM-DD`, an existing Moscow day. */
export const readDay: Reader<Day> = (given) => {
  const value = typeof given === "string" ? parseDay(given) : null;
  return value === null ? { fault: message("notDay") } : { value };
};

/**
 * Longest list item, spaces included: a text longer than all allowed items together is rejected without
 * being split.
 */
const ITEM_LENGTH_MAX = 200;

/** Comma-separated integers without duplicates, in the given order. */
export function readIntegerList({ itemsMax }: { itemsMax: number }): Reader<number[]> {
  return (given) => {
    if (typeof given !== "string" && typeof given !== "number") {
      return { fault: message("notText") };
    }
    const text = String(given);
    const isLong = text.length > itemsMax * ITEM_LENGTH_MAX;
    const items = isLong ? [] : text.split(",").map((item) => parseInteger(item.trim()));
    if (items.includes(null)) return { fault: message("notInteger") };
    if (isLong || items.length > itemsMax) {
      return { fault: message("tooManyItems", { items: itemsMax }) };
    }
    return { value: [...new Set(items as number[])] };
  };
}

/** A non-empty JSON array of integers, without duplicates, in the given order. */
export const readNumberList: Reader<number[]> = (given) => {
  if (!Array.isArray(given)) {
    return { fault: message("notList", { type: typeName(given) }) };
  }
  if (given.length === 0) return { fault: message("emptyList") };
  const items = given.map(parseInteger);
  if (items.includes(null)) return { fault: message("notInteger") };
  return { value: [...new Set(items as number[])] };
};

/** Type name of a JSON value, as Django REST Framework spells it. */
export function typeName(value: unknown): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return { string: "str", boolean: "bool", object: "dict" }[typeof value as string] ?? "str";
}

/** A safe integer, or its decimal text; null otherwise. */
function parseInteger(given: unknown): number | null {
  const value = typeof given === "string" && /^[+-]?\d{1,16}$/.test(given) ? Number(given) : given;
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

/** Up to 15 digits, which JavaScript represents exactly. */
const NUMBER = /^\d{1,15}$/;

/** Parses a number written in digits only, as in an address or a form; null for any other text. */
export function parseNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}

/**
 * A quantile of ascending numbers, interpolated linearly and rounded; null if there are none.
 * @param part from 0 (the smallest) to 1 (the largest)
 */
export function quantileOf(sorted: ArrayLike<number>, part: number): number | null {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return null;
  return Math.round(below + (above - below) * (place - Math.floor(place)));
}

const LENGTH_MAX = 100;

/** Truncates text for a message, since callers may send text of any length, field names included. */
export function shortened(text: string, lengthMax = LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "")}…`;
}
