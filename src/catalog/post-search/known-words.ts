import { FORM_LENGTH_MAX, foldWord, stemOf } from "./stems.ts";

/**
 * A cache of recent words and their stems: texts mostly consist of frequent words, and folding one costs a
 * hundred lookups. Words and stems are numbered as they appear, so frequent ones are close together in
 * arrays indexed by number. Memory latency dominates here, and a Map of strings, or an object per word, is
 * scattered all over memory.
 */

/** Limit above which the cache is cleared before the next text; a text in progress may exceed it. */
export const STEMS_MAX = 2 ** 17;
const WORDS_MAX = 2 ** 16;

/** Stems by number. Replaced by another array when numbering restarts. */
export let stemsByNumber: string[] = [];
const numbers = new Map<string, number>();
/** UTF-8 of all stems, concatenated, and the offset of each; the last offset is the end. */
let stemBytes = Buffer.alloc(2 ** 16);
let stemStarts = new Uint32Array(STEMS_MAX + 1);

/** Rises when words are numbered anew. */
export let edition = 0;
/** Forms of words, and the numbers of their stems; -1 if folding leaves nothing. */
let forms: (string | null)[] = [];
let stemsOfWords = new Int32Array(2 * WORDS_MAX);
/** Records of words: the length, the number in two units, and the word's units as in texts. */
let records = new Uint16Array(2 ** 19);
let recordsEnd = 0;
const HEAD = 3;
/**
 * Hash table with the offset after the head of a word's record; 0 if empty. A word is in one of the slots
 * following its hash.
 */
const slots = new Int32Array(2 ** 17);
const SLOTS_TRIED = 4;

/** Clears the cache if it is too large; called before a text is read. */
export function forgetManyWords(): void {
  if (forms.length < WORDS_MAX && stemsByNumber.length < STEMS_MAX) return;
  edition += 1;
  forms = [];
  recordsEnd = 0;
  slots.fill(0);
  if (stemsByNumber.length < STEMS_MAX) return;
  stemsByNumber = [];
  numbers.clear();
}

/** Folded, in lower case, with ё as е. */
export function formOfWord(word: number): string {
  return forms[word] ?? "";
}

export function stemOfWord(word: number): number {
  return stemsOfWords[word] ?? -1;
}

/** Copies a stem's UTF-8. @returns the offset after it */
export function copyStem(stem: number, to: Uint8Array, at: number): number {
  const end = stemStarts[stem + 1] ?? 0;
  let next = at;
  for (let from = stemStarts[stem] ?? 0; from < end; from += 1) to[next++] = stemBytes[from] ?? 0;
  return next;
}

/** Upper bound for the bytes of a stem. */
export const STEM_BYTES_MAX = 4 * FORM_LENGTH_MAX;

/** The first slot in which a word may be. @param hash of its units */
function firstSlot(hash: number, length: number): number {
  const mixed = Math.imul(hash ^ length, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) & (slots.length - SLOTS_TRIED);
}

/**
 * Looks up or adds a word.
 * @param units of a text; the word consists of those between two offsets
 * @param hash of the word's units
 * @returns its number, valid until the next text; -1 if folding leaves nothing
 */
export function readWord(units: Uint16Array, from: number, to: number, hash: number): number {
  const length = to - from;
  const first = firstSlot(hash, length);
  let free = first;
  for (let slot = first; slot < first + SLOTS_TRIED; slot += 1) {
    const record = slots[slot] ?? 0;
    if (record === 0) {
      free = slot;
      break;
    }
    if (records[record - HEAD] !== length) continue;
    let same = 0;
    while (same < length && records[record + same] === units[from + same]) same += 1;
    if (same === length) {
      const word = (records[record - 2] ?? 0) + (records[record - 1] ?? 0) * 2 ** 16;
      return stemOfWord(word) === -1 ? -1 : word;
    }
  }
  const text = units.subarray(from, to);
  const word = addWord(String.fromCharCode(...text));
  // Longer words are rare, and their form is truncated, so they are not cached.
  if (length <= FORM_LENGTH_MAX) slots[free] = addRecord(word, text);
  return stemOfWord(word) === -1 ? -1 : word;
}

function addWord(raw: string): number {
  const word = forms.length;
  const form = foldWord(raw);
  if (word === stemsOfWords.length) stemsOfWords = longer(stemsOfWords, new Int32Array(2 * word));
  stemsOfWords[word] = form === null ? -1 : numberOf(stemOf(form));
  forms.push(form);
  return word;
}

function addRecord(word: number, text: Uint16Array): number {
  const record = recordsEnd + HEAD;
  recordsEnd = record + text.length;
  if (recordsEnd > records.length) records = longer(records, new Uint16Array(2 * recordsEnd));
  records.set([text.length, word % 2 ** 16, Math.floor(word / 2 ** 16)], record - HEAD);
  records.set(text, record);
  return record;
}

function numberOf(stem: string): number {
  const known = numbers.get(stem);
  if (known !== undefined) return known;
  const number = stemsByNumber.push(stem) - 1;
  numbers.set(stem, number);
  if (stemsByNumber.length === stemStarts.length) {
    stemStarts = longer(stemStarts, new Uint32Array(2 * stemsByNumber.length));
  }
  const start = stemStarts[number] ?? 0;
  if (start + STEM_BYTES_MAX > stemBytes.length) {
    stemBytes = longer(stemBytes, Buffer.alloc(2 * stemBytes.length));
  }
  stemStarts[number + 1] = start + stemBytes.write(stem, start);
  return number;
}

function longer<Some extends Buffer | Int32Array | Uint16Array | Uint32Array>(
  some: Some,
  empty: Some,
): Some {
  empty.set(some);
  return empty;
}
