import { stemmer as englishStem } from "@orama/stemmers/english";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import { foldText } from "../../values/fold-text.ts";
import { WHOLE_NOUNS } from "./whole-nouns.ts";

/** A word as it stands in a text, read. */
export interface KnownWord {
  /** Folded: in lower case, ё as е. */
  form: string;
  /** The form without its ending, in Russian and English; the form itself in other languages. */
  stem: string;
  /** The number of the stem, the same for all words of it until numbers are given anew. */
  number: number;
  /** The place of the stem's units among those of all stems. */
  at: number;
  /** How many units the stem has. */
  length: number;
}

/** Longest form, in UTF-16 units; what is longer is cut, in texts and queries alike. */
const FORM_LENGTH_MAX = 60;

/** Where so many stems have a number, all are forgotten before the next text: only in it may there be more. */
export const STEMS_MAX = 2 ** 17;
const numbers = new Map<string, Pick<KnownWord, "number" | "at" | "length">>();
/** The units of all stems that have a number, one behind the other. */
let stemUnits = new Uint16Array(2 ** 16);
let stemUnitsEnd = 0;

/**
 * Words that were read lately: most of a text are frequent ones, and folding one costs a hundred look-ups. A
 * word is looked for at two places, which a hash of its units tells. A Map would need each word as a text of
 * its own, which costs five times as much. The units of each word stand behind their number in a line of 64
 * bytes, which is what a processor reads at once.
 */
const PLACES = 2 ** 17;
const LINE = 32;
const KNOWN_LENGTH_MAX = LINE - 1;
const knownUnits = new Uint16Array(PLACES * LINE);
const knownWords: (KnownWord | null)[] = new Array(PLACES).fill(null);
/** The one of two places that is taken next. */
let taken = 0;

let numbering = 0;

/** Another one since stems were last given their numbers anew. */
export function numberingOfStems(): number {
  return numbering;
}

/** Before a text is read: forgets what is known where that is too much. Numbers are then given anew. */
export function forgetManyWords(): void {
  if (numbers.size < STEMS_MAX) return;
  numbering += 1;
  numbers.clear();
  stemUnitsEnd = 0;
  knownUnits.fill(0);
  knownWords.fill(null);
}

/** The units of stems, at the places that their words tell; another array as more become known. */
export function unitsOfStems(): Uint16Array {
  return stemUnits;
}

/**
 * Reads a word.
 * @param units of a text; the word's are those from one on up to another
 * @param hash of the word's units
 * @returns null where folding leaves nothing of it
 */
export function readWord(
  units: Uint16Array,
  from: number,
  to: number,
  hash: number,
): KnownWord | null {
  const length = to - from;
  if (length > KNOWN_LENGTH_MAX) return numbered(String.fromCharCode(...units.subarray(from, to)));
  const mixed = Math.imul(hash ^ length, 0x9e3779b1);
  const pair = ((mixed ^ (mixed >>> 15)) & (PLACES / 2 - 1)) * 2;
  for (let place = pair; place < pair + 2; place += 1) {
    const line = place * LINE;
    if (knownUnits[line] !== length) continue;
    let same = 0;
    while (same < length && knownUnits[line + 1 + same] === units[from + same]) same += 1;
    if (same === length) return knownWords[place] ?? null;
  }
  taken ^= 1;
  const place = pair + taken;
  const line = place * LINE;
  knownUnits[line] = length;
  for (let at = 0; at < length; at += 1) knownUnits[line + 1 + at] = units[from + at] ?? 0;
  const word = numbered(String.fromCharCode(...units.subarray(from, to)));
  knownWords[place] = word;
  return word;
}

function numbered(raw: string): KnownWord | null {
  const word = foldWord(raw);
  return word && { ...word, ...numberOf(word.stem) };
}

function numberOf(stem: string): Pick<KnownWord, "number" | "at" | "length"> {
  const known = numbers.get(stem);
  if (known !== undefined) return known;
  const { length } = stem;
  if (stemUnitsEnd + length > stemUnits.length) {
    const longer = new Uint16Array(stemUnits.length * 2);
    longer.set(stemUnits);
    stemUnits = longer;
  }
  for (let at = 0; at < length; at += 1) stemUnits[stemUnitsEnd + at] = stem.charCodeAt(at);
  const given = { number: numbers.size, at: stemUnitsEnd, length };
  numbers.set(stem, given);
  stemUnitsEnd += length;
  return given;
}

const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}\p{M}]/gu;
/** An accent that no letter is composed with, such as a stress: за́мок is замок. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Letters and digits that fold one by one. */
const PLAIN = /^[0-9A-Za-zА-Яа-яЁё]+$/;
const RUSSIAN = /^[а-я]+$/;
const ENGLISH = /^[a-z]+$/;

function foldWord(raw: string): Pick<KnownWord, "form" | "stem"> | null {
  // The same for nearly all words of Russian and English, at a tenth of the cost.
  if (PLAIN.test(raw)) {
    const form = cutForm(raw.toLowerCase().replaceAll("ё", "е"));
    return { form, stem: stemOf(form) };
  }
  const form = cutForm(foldText(raw).replace(NEITHER_LETTER_NOR_DIGIT, "").replace(ACCENTS, ""));
  return form === "" ? null : { form, stem: stemOf(form) };
}

export function cutForm(form: string): string {
  if (form.length <= FORM_LENGTH_MAX) return form;
  // Half of a surrogate pair is no character.
  return form.slice(0, FORM_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "");
}

/** The stem of a folded form. A stem that the stemmer leaves nothing of is the form. */
export function stemOf(form: string): string {
  if (RUSSIAN.test(form)) return WHOLE_NOUNS.has(form) ? form : russianStem(form) || form;
  if (ENGLISH.test(form)) return englishStem(form) || form;
  return form;
}
