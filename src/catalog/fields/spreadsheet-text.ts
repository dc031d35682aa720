/** Characters with which a formula begins; the full-width ones do so in East Asian spreadsheets. */
const SIGNS = "=+\\-@＝＋－＠";

/** Apostrophes at the beginning of a text that a spreadsheet would run, or of one that has nothing else. */
const AT_START = new RegExp(`^'*(?=[${SIGNS}\\t\\r])|^'+$`);
/** A semicolon or a tab, where a spreadsheet may split the cell in two, before a formula. */
const WITHIN = new RegExp(`[;\\t]'*(?=[${SIGNS}])`, "g");

/** Integers, such as a messenger's id, are harmless: spreadsheets treat them as numbers. */
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * Escapes the text of a non-empty CSV cell: puts an apostrophe before what a spreadsheet would run, and
 * before what already looks escaped, so that reading it back removes exactly what was added.
 * @param isRaw leaves formulas as they are
 */
export function escapeText(text: string, isRaw: boolean): string {
  if (WHOLE_NUMBER.test(text)) return text;
  const more = (quotes: string): string => (isRaw && quotes === "" ? "" : `'${quotes}`);
  return atEachPlace(text, more);
}

/** An empty text in CSV, where an empty cell means no value. */
export const EMPTY_TEXT = "'";

/** Reverses `escapeText`; leaves a text without apostrophes as it is. */
export function unescapeText(cell: string): string {
  return cell.includes("'") ? atEachPlace(cell, (quotes) => quotes.slice(1)) : cell;
}

/** Replaces the apostrophes, if any, before everything that a spreadsheet would run. */
function atEachPlace(text: string, change: (quotes: string) => string): string {
  return text.replace(WITHIN, (at) => `${at[0]}${change(at.slice(1))}`).replace(AT_START, change);
}
