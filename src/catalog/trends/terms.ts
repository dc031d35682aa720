import { edition, formOfWord, stemOfWord, stemsByNumber } from "../post-search/known-words.ts";
import { readTokens } from "../post-search/tokens.ts";

/** Addresses, whose parts are no words of the post. */
const LINK = /(?:https?:\/\/|www\.|\b(?:t|telegram)\.me\/|\bmax\.ru\/)\S*/giu;
const LENGTH_MIN = 3;
const STARTS_WITH_DIGIT = /^\p{N}/u;
/** Between the words of a pair: a space, one that does not break, or a hyphen. */
const JOINS = [0x20, 0xa0, 0x2d];

/** No word: what stands before a term that is a single one. */
const NONE = -1;

/** Words of the text being read: their numbers, and where they stand. */
const words: number[] = [];
const starts: number[] = [];
const ends: number[] = [];

/**
 * Passes the words of a text and the pairs of neighbouring ones, each as often as the text has it, by the hash
 * of its lemmas: nearly all terms are only counted, and their strings would take most of the time. Numbers,
 * words of one or two letters, addresses and handles do not count; a tag counts as its words.
 * @param each gets a word's number, and that of the one before it if they are a pair, until it returns
 */
export function readTerms(
  text: string,
  each: (hash: number, word: number, before: number) => void,
): void {
  const read = text.replace(LINK, "\n");
  words.length = starts.length = ends.length = 0;
  readTokens(read, {
    word(word, start, end) {
      words.push(word);
      starts.push(start);
      ends.push(end);
    },
    mark(kind, _form, start) {
      while (kind === "handle" && (starts.at(-1) ?? -1) >= start) {
        words.pop();
        starts.pop();
        ends.pop();
      }
    },
  });
  let [before, hashBefore, endBefore] = [NONE, 0, 0];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? NONE;
    const hash = hashOfWord(word);
    if (hash === 0) {
      before = NONE;
      continue;
    }
    const start = starts[at] ?? 0;
    each(hash, word, NONE);
    if (before !== NONE && start - endBefore === 1 && JOINS.includes(read.charCodeAt(endBefore))) {
      each(hashOfPair(hashBefore, hash), word, before);
    }
    [before, hashBefore, endBefore] = [word, hash, ends[at] ?? 0];
  }
}

/** A term's lemmas, by which it is known. */
export function termOf(word: number, before: number): string {
  const stem = stemsByNumber[stemOfWord(word)] ?? "";
  return before === NONE ? stem : `${stemsByNumber[stemOfWord(before)] ?? ""} ${stem}`;
}

/** The hash that `readTerms` passes for a term. */
export function hashOfTerm(term: string): number {
  const [first = "", second] = term.split(" ");
  return second === undefined ? hashOf(first) : hashOfPair(hashOf(first), hashOf(second));
}

/** A term as the text has it. */
export function termAsWritten(word: number, before: number): string {
  const form = formOfWord(word);
  return before === NONE ? form : `${formOfWord(before)} ${form}`;
}

/** Hashes of known words by number; 0 for those that are no terms. */
let hashes: number[] = [];
let hashedEdition = edition;

function hashOfWord(word: number): number {
  if (hashedEdition !== edition) {
    hashes = [];
    hashedEdition = edition;
  }
  let hash = hashes[word];
  if (hash === undefined) {
    hash = isTerm(formOfWord(word)) ? hashOf(termOf(word, NONE)) : 0;
    hashes[word] = hash;
  }
  return hash;
}

function isTerm(form: string): boolean {
  return form.length >= LENGTH_MIN && !STARTS_WITH_DIGIT.test(form);
}

function hashOf(stem: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < stem.length; at += 1) {
    hash = Math.imul(hash ^ stem.charCodeAt(at), 0x01000193);
  }
  return mix(hash) || 1;
}

const hashOfPair = (first: number, second: number): number => mix(first + 1) ^ second;

function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}
