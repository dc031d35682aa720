import { formOfWord, stemOfWord, stemsByNumber } from "../post-search/known-words.ts";
import { readTokens } from "../post-search/tokens.ts";

/** Addresses, whose parts are no words of the post. */
const LINK = /(?:https?:\/\/|www\.|\b(?:t|telegram)\.me\/|\bmax\.ru\/)\S*/giu;
const LENGTH_MIN = 3;
const STARTS_WITH_DIGIT = /^\p{N}/u;
const JOINS = new Set([" ", "\u00a0", "-"]);

interface Word {
  stem: string;
  form: string;
  start: number;
  end: number;
}

/**
 * Words of a text and pairs of neighbouring ones, by lemma or stem, each with the form in which the text has
 * it first. Numbers, words of one or two letters, addresses and handles do not count; a tag counts as its
 * words.
 */
export function termsOf(text: string): Map<string, string> {
  const read = text.replace(LINK, "\n");
  const words: Word[] = [];
  readTokens(read, {
    word(word, start, end) {
      words.push({
        stem: stemsByNumber[stemOfWord(word)] ?? "",
        form: formOfWord(word),
        ...{ start, end },
      });
    },
    mark(kind, _form, start) {
      while (kind === "handle" && (words.at(-1)?.start ?? -1) >= start) words.pop();
    },
  });
  const terms = new Map<string, string>();
  let before: Word | null = null;
  for (const word of words) {
    if (word.form.length < LENGTH_MIN || STARTS_WITH_DIGIT.test(word.form)) {
      before = null;
      continue;
    }
    if (!terms.has(word.stem)) terms.set(word.stem, word.form);
    if (before !== null && word.start - before.end === 1 && JOINS.has(read[before.end] ?? "")) {
      const pair = `${before.stem} ${word.stem}`;
      if (!terms.has(pair)) terms.set(pair, `${before.form} ${word.form}`);
    }
    before = word;
  }
  return terms;
}
