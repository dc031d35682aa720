/** Beginnings by which a spreadsheet takes a cell for a formula and runs it. */
const FORMULA = /^[=+\-@\t\r]/;
/** A whole number, such as a messenger's id, is one for spreadsheets too. */
const WHOLE_NUMBER = /^-?\d+$/;
/** Texts that would lose an apostrophe when they are read again. */
const HELD = /^'+(?:[=+\-@\t\r]|$)/;

/**
 * The text of a CSV cell that is not empty: an apostrophe stands before what a spreadsheet would run,
 * and before what already looks so held, so that reading takes off exactly what was put on.
 * @param isRaw formulas are left as they are
 */
export function holdText(text: string, isRaw: boolean): string {
  const isRun = !isRaw && FORMULA.test(text) && !WHOLE_NUMBER.test(text);
  return isRun || HELD.test(text) ? `'${text}` : text;
}

/** An empty text in CSV, where an empty cell is none at all. */
export const EMPTY_TEXT = "'";

/** A text as it was before `holdText`; one that never was held, and begins with no apostrophe, stays. */
export function releaseText(cell: string): string {
  return HELD.test(cell) ? cell.slice(1) : cell;
}
