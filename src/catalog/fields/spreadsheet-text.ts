/** Text that makes a spreadsheet treat a cell as a formula and run it. */
const FORMULA = /^[=+\-@\t\r]/;
/** Integers, such as a messenger's id, are harmless: spreadsheets treat them as numbers. */
const WHOLE_NUMBER = /^-?\d+$/;
/** Text that would lose an apostrophe when it is read back. */
const HELD = /^'+(?:[=+\-@\t\r]|$)/;

/**
 * Escapes the text of a non-empty CSV cell: puts an apostrophe before text that a spreadsheet would run,
 * and before text that already looks escaped, so that reading it back removes exactly what was added.
 * @param isRaw leaves formulas as they are
 */
export function holdText(text: string, isRaw: boolean): string {
  const isRun = !isRaw && FORMULA.test(text) && !WHOLE_NUMBER.test(text);
  return isRun || HELD.test(text) ? `'${text}` : text;
}

/** An empty text in CSV, where an empty cell means no value. */
export const EMPTY_TEXT = "'";

/** Reverses `holdText`; text that was never escaped and does not begin with an apostrophe is unchanged. */
export function releaseText(cell: string): string {
  return HELD.test(cell) ? cell.slice(1) : cell;
}
