import { type KnownWord, unitsOfStems } from "./known-words.ts";

const SPACE = " ".charCodeAt(0);
const PLUS = "+".charCodeAt(0);

/** The text that is being put together, in UTF-16 units: to join many texts takes longer. */
let buffer = Buffer.alloc(2 ** 14);
let units = unitsOf(buffer);
let length = 0;

function unitsOf(some: Buffer): Uint16Array {
  return new Uint16Array(some.buffer, some.byteOffset, some.length / 2);
}

/** The stems of one text, each with a space behind it. Texts are read one at a time. */
export const joined = {
  begin(): void {
    length = 0;
  },

  /** @param least adds the token of texts that have the stem so often (`frequentToken`); 1: the stem */
  add(word: KnownWord, least: number): void {
    const needed = length + word.length + least;
    if (needed > units.length) {
      buffer = Buffer.concat([buffer], 4 * needed);
      units = unitsOf(buffer);
    }
    const from = unitsOfStems();
    const to = units;
    const end = length + word.length;
    for (let at = length, of = word.at; at < end; at += 1, of += 1) to[at] = from[of] ?? 0;
    length = end;
    for (let times = 1; times < least; times += 1) to[length++] = PLUS;
    to[length++] = SPACE;
  },

  end: (): string => buffer.toString("utf16le", 0, 2 * length),
};
