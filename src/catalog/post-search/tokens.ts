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
const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}\p{M}]/gu;
/** An accent that no letter is composed with, such as a stress: за́мок is замок. */
const ACCENTS = /[\u0300-\u036f]/g;
const RUSSIAN = /^[а-я]+$/;
const ENGLISH = /^[a-z]+$/;

/** A word as it stands in a text, read; null for one of which the folding leaves nothing. */
type Read = Pick<Word, "form" | "stem"> | null;

/** Words that were read lately: most of a text are frequent ones, and folding costs ten look-ups. */
const read = new Map<string, Read>();
const READ_MAX = 50_000;
/** Longer ones are seldom met twice. */
const READ_LENGTH_MAX = 32;

function readWord(raw: string): Read {
  const known = read.get(raw);
  if (known !== undefined) return known;
  const form = foldWord(raw);
  const word = form === "" ? null : { form, stem: stemOf(form) };
  if (raw.length > READ_LENGTH_MAX) return word;
  if (read.size >= READ_MAX) read.clear();
  read.set(raw, word);
  return word;
}

function foldWord(raw: string): string {
  const folded = foldText(raw).replace(NEITHER_LETTER_NOR_DIGIT, "").replace(ACCENTS, "");
  return cut(folded);
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
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    const isAdjacent = index === endUnit && index > 0;
    if (!isAdjacent) endMark();
    const start = pointAt(index);
    endUnit = index + run.length;
    if (run === "#" || run === "@") {
      endMark();
      // An address of mail, or c#minor, has no mark in it.
      if (!isAdjacent) mark = { kind: run === "#" ? "tag" : "handle", form: run, start };
      continue;
    }
    end = pointAt(endUnit);
    if (run.startsWith("_")) {
      if (mark !== null) mark.form += run;
      continue;
    }
    const word = readWord(run);
    if (word === null) continue;
    if (mark !== null) mark.form += word.form;
    tokens.push({ kind: "word", ...word, start, end });
  }
  endMark();
  return tokens;
}
