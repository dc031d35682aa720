/**
 * Converts a JSON number from its digits. An integer beyond the safe range becomes a bigint, so that a
 * column can accept or refuse it exactly instead of rounding silently.
 */
export function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
}

/** So many digits that the number may exceed the safe range. */
const LONG_NUMBER = /\d{16}/;

/** As JSON.parse, but with exact integers. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && context?.source !== undefined
    ? exactNumber(context.source)
    : value;
}

/** `JSON.rawJSON` is part of ECMAScript 2026, but not yet of the types. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

/**
 * As JSON.stringify, with bigints written as numbers. A value nested too deeply to be written, which
 * JSON.parse accepts, is replaced by a text that says so.
 */
export function stringifyExact(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, one) =>
      typeof one === "bigint" ? (JSON as RawJson).rawJSON(String(one)) : one,
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return '"nested too deeply"';
  }
}
