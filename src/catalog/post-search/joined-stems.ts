import { copyStem, STEM_BYTES_MAX } from "./known-words.ts";

const SPACE = " ".charCodeAt(0);
const PLUS = "+".charCodeAt(0);

/** The UTF-8 that is being put together: joining many texts, and turning them into it, takes longer. */
let bytes = Buffer.alloc(2 ** 14);
let length = 0;

/** The stems of one text, each with a space behind it. Texts are read one at a time. */
export const joined = {
  begin(): void {
    length = 0;
  },

  /**
   * @param stem its number (known-words.ts)
   * @param least adds the token of texts that have the stem so often (`frequentToken`); 1: the stem
   */
  add(stem: number, least: number): void {
    const needed = length + STEM_BYTES_MAX + least;
    if (needed > bytes.length) bytes = Buffer.concat([bytes], 2 * needed);
    length = copyStem(stem, bytes, length);
    for (let times = 1; times < least; times += 1) bytes[length++] = PLUS;
    bytes[length++] = SPACE;
  },

  /** @param more text behind the stems */
  end: (more: string): Buffer => Buffer.concat([bytes.subarray(0, length), Buffer.from(more)]),
};
