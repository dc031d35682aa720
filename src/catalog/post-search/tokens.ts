import { stemmer as englishStem } from "@orama/stemmers/english";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import { foldText } from "../../values/fold-text.ts";

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

/**
 * Words, and the signs that make a mark of what follows. Unseen characters (a soft hyphen, a joiner) and
 * combining marks are parts of a word, so that they do not split it.
 */
const RUNS =
  /[#@](?=[\p{L}\p{N}_])|[\p{L}\p{N}](?:[\p{M}\p{Default_Ignorable_Code_Point}]*[\p{L}\p{N}\p{M}])*|_+/gu;
const HASH = 0x23;
const AT = 0x40;
const UNDERSCORE = 0x5f;
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
 * Words that were read lately, each at the place that its characters give: most of a text are frequent
 * ones, and folding one costs ten look-ups. A Map would need each word as a text of its own, which costs
 * five times as much as to compare it where it stands.
 */
const known: ({ raw: string; word: Read } | undefined)[] = new Array(2 ** 16).fill(undefined);
/** Longer ones are seldom met twice. */
const KNOWN_LENGTH_MAX = 32;

function readWord(text: string, from: number, to: number): Read {
  if (to - from > KNOWN_LENGTH_MAX) return foldWord(text.slice(from, to));
  let hash = 0;
  for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  const place = (hash ^ (hash >>> 16)) & (known.length - 1);
  const found = known[place];
  if (found?.raw.length === to - from && text.startsWith(found.raw, from)) return found.word;
  // A copy: a slice would keep the whole text in memory.
  const codes: number[] = [];
  for (let at = from; at < to; at += 1) codes.push(text.charCodeAt(at));
  const raw = String.fromCharCode(...codes);
  const word = foldWord(raw);
  known[place] = { raw, word };
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
  if (RUSSIAN.test(form)) return russianStem(form) || form;
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
  RUNS.lastIndex = 0;
  for (let run = RUNS.exec(text); run !== null; run = RUNS.exec(text)) {
    const { index } = run;
    const isAdjacent = index === endUnit && index > 0;
    if (!isAdjacent) endMark();
    const start = pointAt(index);
    endUnit = RUNS.lastIndex;
    // By its code: to take the run out of the text would cost as much as all else here.
    const first = text.charCodeAt(index);
    if (first === HASH || first === AT) {
      endMark();
      // An address of mail, or c#minor, has no mark in it.
      const kind = first === HASH ? "tag" : "handle";
      if (!isAdjacent) mark = { kind, form: first === HASH ? "#" : "@", start };
      continue;
    }
    end = pointAt(endUnit);
    if (first === UNDERSCORE) {
      if (mark !== null) mark.form += text.slice(index, endUnit);
      continue;
    }
    const word = readWord(text, index, endUnit);
    if (word === null) continue;
    if (mark !== null) mark.form += word.form;
    tokens.push({ kind: "word", form: word.form, stem: word.stem, start, end });
  }
  endMark();
  return tokens;
}
