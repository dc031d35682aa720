import type { Message } from "../../values/messages/messages.ts";

/** Fields of a row by column. In CSV all are texts; an empty cell is not given, so it is absent. */
export type Fields = Record<string, unknown>;

/** A row, or the reason why the line is none. */
export type InputRow = { line: number; fields: Fields } | { line: number; fault: Message };

/** Longer than any row should be; a file without line breaks must not fill the memory. */
export const LINE_LENGTH_MAX = 4 * 1024 * 1024;
