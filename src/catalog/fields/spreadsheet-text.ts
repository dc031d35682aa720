/** Beginning of text that a spreadsheet would treat as a formula and run. */
const FORMULA = /^[=+\-@\t\r]/;
/** Integers, such as a messenger's id, are harmless: spreadsheets treat them as numbers. */
const WHOLE_NUMBER = /^-?\d+$/;
/** Text that looks escaped, so that reading it back removes an apostrophe. */
const ESCAPED = /^'+(?:[=+\-@\t\r]|$)/;

/**
 * Escapes the text of a non-empty CSV cell: puts an apostrophe before text that a spreadsheet would run,
 * and before text that already looks escaped, so that reading it back removes exactly what was added.
 * @param isRaw leaves formulas as they are
 */
export function escapeText(text: string, isRaw: boolean): string {
  const isRun = !isRaw && FORMULA.test(text) && !WHOLE_NUMBER.test(text);
  return isRun || ESCAPED.test(text) ? `'${text}` : text;
}

/** An empty text in CSV, where an empty cell means no value. */
export const EMPTY_TEXT = "'";

/** Reverses `escapeText`; leaves text as it is that does not begin with an apostrophe. */
export function unescapeText(cell: string): string {
  return ESCAPED.test(cell) ? cell.slice(1) : cell;
}
