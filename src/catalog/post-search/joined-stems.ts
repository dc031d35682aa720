import { copyStem, STEM_BYTES_MAX } from "./known-words.ts";

const SPACE = " ".charCodeAt(0);
const PLUS = "+".charCodeAt(0);

/** The tokens in UTF-8: joining many strings and encoding the result takes longer. */
let bytes = Buffer.alloc(2 ** 14);
let length = 0;

/** Stems of one text, each followed by a space. Texts are read one at a time. */
export const joined = {
  begin(): void {
    length = 0;
  },

  /**
   * @param stem its number (known-words.ts)
   * @param least 1 adds the stem; 2 or 3 the token of texts with so many of it (`frequentToken`)
   */
  add(stem: number, least: number): void {
    const needed = length + STEM_BYTES_MAX + least;
    if (needed > bytes.length) bytes = Buffer.concat([bytes], 2 * needed);
    length = copyStem(stem, bytes, length);
    for (let times = 1; times < least; times += 1) bytes[length++] = PLUS;
    bytes[length++] = SPACE;
  },

  /** @param more text to append to the stems */
  end: (more: string): Buffer => Buffer.concat([bytes.subarray(0, length), Buffer.from(more)]),
};
