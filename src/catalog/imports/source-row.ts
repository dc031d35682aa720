/** Fields of a row by column. In CSV all are texts; an empty cell is not given, so it is absent. */
export type Fields = Record<string, unknown>;

/** A row, or the reason why the line is none. */
export type SourceRow = { line: number; fields: Fields } | { line: number; fault: string };

/** Longer than any row should be; a file without line breaks must not fill the memory. */
export const LINE_LENGTH_MAX = 4 * 1024 * 1024;

export const MEND_AND_REPEAT =
  "Mend it and import the file again; rows before it may be imported already.";
