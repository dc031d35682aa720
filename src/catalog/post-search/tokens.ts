import { stemmer as englishStem } from "@orama/stemmers/english";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import { foldText } from "../../values/fold-text.ts";
import { WHOLE_NOUNS } from "./whole-nouns.ts";

/** A place in a text, in code points: from `start` on, `end` not included any more. */
export interface Place {
  start: number;
  end: number;
}

/** A word of a text: a run of letters and digits, also within a tag or handle. */
export interface Word extends Place {
  kind: "word";
  /** Folded: in lower case, ё as е. */
  form: string;
  /** The form without its ending, in Russian and English; the form itself in other languages. */
  stem: string;
}

/** A `#tag` or `@handle`, told beside the words in it. */
export interface Mark extends Place {
  kind: "tag" | "handle";
  /** Folded, with its sign: `#новости`. */
  form: string;
}

export type Token = Word | Mark;

/** Longest form, in UTF-16 units; what is longer is cut, in texts and queries alike. */
const FORM_LENGTH_MAX = 60;

/** Kinds of characters; the first two are in words only, behind a letter. */
const UNSEEN = 1;
const COMBINING = 2;
const LETTER = 3;
const UNDERSCORE = 4;
const HASH = 5;
const AT = 6;

/**
 * The characters of each kind; a later kind takes the place of an earlier. Unseen characters (a soft
 * hyphen, a joiner) and combining marks are parts of a word, so that they do not split it.
 */
const KINDS = [
  [UNSEEN, /\p{Default_Ignorable_Code_Point}+/gu],
  [COMBINING, /\p{M}+/gu],
  [LETTER, /[\p{L}\p{N}]+/gu],
  [HASH, /#/g],
  [AT, /@/g],
  [UNDERSCORE, /_/g],
] as const;

/** The kind of each UTF-16 unit but surrogates: a table is ten times as fast as the expressions. */
const KIND_OF_UNIT = kindsOfUnits();

function kindsOfUnits(): Uint8Array {
  const kinds = new Uint8Array(2 ** 16);
  const units = Array.from(kinds, (_, unit) =>
    isSurrogate(unit) ? " " : String.fromCharCode(unit),
  );
  const text = units.join("");
  for (const [kind, characters] of KINDS) {
    for (const { index, 0: run } of text.matchAll(characters)) {
      kinds.fill(kind, index, index + run.length);
    }
  }
  return kinds;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** The kind of the character that begins at a place; 0 within one of two units. */
function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (!isSurrogate(unit)) return KIND_OF_UNIT[unit] ?? 0;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return KINDS.findLast(([, characters]) => character.search(characters) === 0)?.[0] ?? 0;
}

/** Behind the last letter or mark of the word that begins at a place: unseen characters may stand between. */
function endOfWord(text: string, from: number): number {
  let end = from;
  for (let at = from; at < text.length; ) {
    const kind = kindAt(text, at);
    if (kind === 0 || kind > LETTER) break;
    at += isSurrogate(text.charCodeAt(at)) ? 2 : 1;
    if (kind !== UNSEEN) end = at;
  }
  return end;
}

const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}\p{M}]/gu;
/** An accent that no letter is composed with, such as a stress: за́мок is замок. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Letters and digits that fold one by one. */
const PLAIN = /^[0-9A-Za-zА-Яа-яЁё]+$/;
const RUSSIAN = /^[а-я]+$/;
const ENGLISH = /^[a-z]+$/;

/** A word as it stands in a text, read; null for one of which the folding leaves nothing. */
type Read = Pick<Word, "form" | "stem"> | null;

/**
 * Words that were read lately, by a hash of their characters: most of a text are frequent ones, and
 * folding one costs ten look-ups. A Map would need each word as a text of its own, which costs five times
 * as much. The characters of all stand in one buffer, each word's at its place, for which a look needs no
 * object but the one that it returns.
 */
const PLACES = 2 ** 16;
/** Longer ones are seldom met twice. */
const KNOWN_LENGTH_MAX = 24;
const knownUnits = new Uint16Array(PLACES * KNOWN_LENGTH_MAX);
const knownLengths = new Uint8Array(PLACES);
const knownWords: Read[] = new Array(PLACES).fill(null);

function readWord(text: string, from: number, to: number): Read {
  const length = to - from;
  if (length > KNOWN_LENGTH_MAX) return foldWord(text.slice(from, to));
  let hash = length;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  const place = (hash ^ (hash >>> 16)) & (PLACES - 1);
  const first = place * KNOWN_LENGTH_MAX;
  let isKnown = knownLengths[place] === length;
  for (let at = 0; isKnown && at < length; at += 1) {
    isKnown = knownUnits[first + at] === text.charCodeAt(from + at);
  }
  if (isKnown) return knownWords[place] ?? null;
  knownLengths[place] = length;
  for (let at = 0; at < length; at += 1) knownUnits[first + at] = text.charCodeAt(from + at);
  // A copy: a slice would keep the whole text in memory.
  const word = foldWord(String.fromCharCode(...knownUnits.subarray(first, first + length)));
  knownWords[place] = word;
  return word;
}

function foldWord(raw: string): Read {
  // The same for nearly all words of Russian and English, at a tenth of the cost.
  if (PLAIN.test(raw)) {
    const form = cut(raw.toLowerCase().replaceAll("ё", "е"));
    return { form, stem: stemOf(form) };
  }
  const form = cut(foldText(raw).replace(NEITHER_LETTER_NOR_DIGIT, "").replace(ACCENTS, ""));
  return form === "" ? null : { form, stem: stemOf(form) };
}

function cut(form: string): string {
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

/** Counts code points up to places in a text, which are asked for in ascending order. */
function pointCounter(text: string): (unit: number) => number {
  if (!/[\ud800-\udfff]/.test(text)) return (unit) => unit;
  let [units, points] = [0, 0];
  return (unit) => {
    for (; units < unit; units += 1) {
      // The second half of a surrogate pair belongs to the code point before.
      const code = text.charCodeAt(units);
      if (code < 0xdc00 || code > 0xdfff) points += 1;
    }
    return points;
  };
}

/**
 * The words, tags and handles of a text in their order, a tag or handle behind the words in it. The same
 * function reads texts, queries, snippets and alerts.
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pointAt = pointCounter(text);
  let mark: { kind: Mark["kind"]; form: string; start: number } | null = null;
  let endUnit = 0;
  let end = 0;
  const endMark = (): void => {
    if (mark !== null && mark.form.length > 1) tokens.push({ ...mark, form: cut(mark.form), end });
    mark = null;
  };
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    if (kind < LETTER) {
      at += 1;
      continue;
    }
    const isAdjacent = at === endUnit && at > 0;
    if (!isAdjacent || kind > UNDERSCORE) endMark();
    const start = pointAt(at);
    if (kind > UNDERSCORE) {
      at += 1;
      // A sign alone is none of a mark.
      if (kindAt(text, at) !== LETTER && kindAt(text, at) !== UNDERSCORE) continue;
      endUnit = at;
      // An address of mail, or c#minor, has no mark in it.
      if (isAdjacent) continue;
      mark =
        kind === HASH ? { kind: "tag", form: "#", start } : { kind: "handle", form: "@", start };
      continue;
    }
    endUnit = kind === UNDERSCORE ? at + 1 : endOfWord(text, at);
    end = pointAt(endUnit);
    const word = kind === LETTER ? readWord(text, at, endUnit) : null;
    if (mark !== null) mark.form += kind === UNDERSCORE ? "_" : (word?.form ?? "");
    if (word !== null) tokens.push({ kind: "word", form: word.form, stem: word.stem, start, end });
    at = endUnit;
  }
  endMark();
  return tokens;
}
