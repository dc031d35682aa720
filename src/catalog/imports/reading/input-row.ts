import type { Message } from "../../../values/messages/messages.ts";

/** A row's fields by column. In CSV all are texts, and empty cells are absent. */
export type Fields = Record<string, unknown>;

/** A row, or why the line is not one. */
export type InputRow = { line: number; fields: Fields } | { line: number; fault: Message };

/** Longest line, beyond any sensible row: a file without line breaks must not fill the memory. */
export const LINE_LENGTH_MAX = 4 * 1024 * 1024;
