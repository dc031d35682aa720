/**
 * A JSON number by its digits. A whole number beyond the safe range becomes a bigint, so that a column
 * takes it exactly or refuses it, and none is rounded silently.
 */
export function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
}

/** As many digits as may be too many for a number. */
const LONG_NUMBER = /\d{16}/;

/** As JSON.parse, with whole numbers kept exactly. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && context?.source !== undefined
    ? exactNumber(context.source)
    : value;
}

/** `JSON.rawJSON` is of ECMAScript 2026, and not yet among the types. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

/**
 * As JSON.stringify, with bigints written as the numbers that they were. A value nested so deeply that
 * nothing could write it, which JSON.parse takes, becomes a text that says so.
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
