import { stemsFor } from "./stems.ts";
import { tokensOf, type Word } from "./tokens.ts";

/** A word to find in any of its forms, or a phrase of such words. */
export interface StemsTerm {
  kind: "stems";
  /** For each of consecutive words its alternative stems; a word alone has one list. */
  stems: readonly (readonly string[])[];
}

interface FormTerm {
  kind: "form";
  form: string;
  stem: string;
}

export interface PrefixTerm {
  kind: "prefix";
  prefix: string;
}

/** Folded, including its sign. */
interface MarkTerm {
  kind: "tag" | "handle";
  form: string;
}

export type Term = StemsTerm | FormTerm | PrefixTerm | MarkTerm;

export interface PostQuery {
  /** A match contains at least one term of each list. There is at least one list. */
  all: readonly (readonly Term[])[];
  /** A match contains none of these. */
  none: readonly Term[];
}

/** Minimum number of characters before a star: a shorter `w*` is searched as the word `w`. */
const PREFIX_LENGTH_MIN = 3;

/** Matches a quoted phrase, a bar between alternatives, or anything else up to a space. */
const PIECES = /(-?)"([^"]*)"|(\|)|((?:(?!-?"[^"]*")[^\s|])+)/g;

/**
 * Parses `q`: words in any form, `"a phrase"`, `-without`, `a | b`, `beginning*`, `=exact`, `#tag`,
 * `@handle`. Words are combined by AND; a bar binds its two neighbours more tightly. There are no syntax
 * errors: what is not understood is searched as words, and what contains no words is dropped.
 * @returns null if nothing is left to search, or only exclusions
 */
export function readPostQuery(q: string): PostQuery | null {
  const all: Term[][] = [];
  const none: Term[] = [];
  for (const { term, isExcluded, isAlternative } of termsOf(q)) {
    const alternatives = isAlternative ? all.at(-1) : undefined;
    if (isExcluded) none.push(term);
    else if (alternatives === undefined) all.push([term]);
    else alternatives.push(term);
  }
  return all.length === 0 ? null : { all, none };
}

/** A term of a query, in the typed order. */
interface TypedTerm {
  term: Term;
  typed: string;
  isExcluded: boolean;
  /** Whether a bar precedes it. */
  isAlternative: boolean;
}

export function* termsOf(q: string): Generator<TypedTerm> {
  let isAlternative = false;
  for (const { 1: minus, 2: quoted, 3: bar, 4: plain = "" } of q.matchAll(PIECES)) {
    if (bar !== undefined) {
      isAlternative = true;
      continue;
    }
    const isExcluded = minus === "-" || plain.startsWith("-");
    const typed = quoted ?? (isExcluded ? plain.slice(1) : plain);
    const term = quoted === undefined ? readPlain(typed) : phraseOf(typed);
    if (term === null) continue;
    yield { term, typed, isExcluded, isAlternative };
    isAlternative = false;
  }
}

export function countBeginnings({ all, none }: PostQuery): number {
  return [...all.flat(), ...none].filter(({ kind }) => kind === "prefix").length;
}

/** The words of a text as one term; several, as in `кто-то`, form a phrase. Null if there are none. */
function phraseOf(text: string): Term | null {
  const stems = tokensOf(text).flatMap((token) =>
    token.kind === "word" ? [stemsFor(token.form)] : [],
  );
  return stems.length === 0 ? null : { kind: "stems", stems };
}

function readPlain(piece: string): Term | null {
  const tokens = tokensOf(piece);
  const mark = tokens.find((token) => token.kind !== "word");
  const isMark = mark?.start === 0 && tokens.every(({ end }) => end <= mark.end);
  if (mark !== undefined && isMark) return { kind: mark.kind, form: mark.form } as MarkTerm;
  const [word, ...others] = tokens;
  if (word?.kind === "word" && others.length === 0) {
    return readForm(piece, word) ?? readPrefix(piece, word) ?? phraseOf(piece);
  }
  return phraseOf(piece);
}

function readForm(piece: string, { form, stem, start }: Word): Term | null {
  return piece.startsWith("=") && start === 1 ? { kind: "form", form, stem } : null;
}

function readPrefix(piece: string, { form, start, end }: Word): Term | null {
  const isPrefix = start === 0 && [...piece].indexOf("*") === end;
  if (!isPrefix || [...form].length < PREFIX_LENGTH_MIN) return null;
  return { kind: "prefix", prefix: form };
}

/** Limit for the sequences of stems that a phrase may stand for. */
const SEQUENCES_MAX = 64;

/** The sequences of stems that a phrase stands for; null if they are too many. */
export function sequencesOf(stems: StemsTerm["stems"]): readonly (readonly string[])[] | null {
  const count = stems.reduce((product, { length }) => product * length, 1);
  if (count > SEQUENCES_MAX) return null;
  return stems.reduce<readonly (readonly string[])[]>(
    (sequences, alternatives) =>
      sequences.flatMap((sequence) => alternatives.map((stem) => [...sequence, stem])),
    [[]],
  );
}
