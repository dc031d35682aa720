import { stemsWithin } from "./beginning-stems.ts";
import { tokensOf, type Word } from "./tokens.ts";

/** A word that is searched for in any of its forms, or a phrase of such words. */
interface StemsTerm {
  kind: "stems";
  /** Stems that stand one after another; one for a word. */
  stems: readonly string[];
}

/** A word in exactly this form, folded. */
interface FormTerm {
  kind: "form";
  form: string;
  stem: string;
}

/** Words that begin so. */
interface PrefixTerm {
  kind: "prefix";
  prefix: string;
  /** Stems that do not begin so, of words which do: новост for `новости*`, happi for `happy*`. */
  stems: readonly string[];
}

/** A `#tag` or `@handle`, folded, with its sign. */
interface MarkTerm {
  kind: "tag" | "handle";
  form: string;
}

export type Term = StemsTerm | FormTerm | PrefixTerm | MarkTerm;

/** A `q` that was read. */
export interface PostQuery {
  /** A match has of each of these lists at least one term. There is at least one list. */
  all: readonly (readonly Term[])[];
  /** A match has none of these. */
  none: readonly Term[];
}

/** `w*` of fewer letters is searched as the word `w`. */
const PREFIX_LENGTH_MIN = 3;

/** A quoted phrase, a bar between alternatives, or anything else up to a space. */
const PIECES = /(-?)"([^"]*)"|(\|)|((?:(?!-?"[^"]*")[^\s|])+)/g;

/**
 * Reads what `q` asks for: words in any form, `"a phrase"`, `-without`, `a | b`, `beginning*`, `=exact`,
 * `#tag`, `@handle`. Words are joined by AND; a bar joins its two neighbours first. There is no wrong
 * syntax: what is not understood is searched as words, and what has none is left out.
 * @returns null where nothing is left to search, or exclusions only
 */
export function readPostQuery(q: string): PostQuery | null {
  const all: Term[][] = [];
  const none: Term[] = [];
  for (const { term, isExcluded, isAlternative } of termsOf(q)) {
    if (isExcluded) none.push(term);
    else if (isAlternative) (all.at(-1) ?? newList(all)).push(term);
    else all.push([term]);
  }
  return all.length === 0 ? null : { all, none };
}

/** A term of a query, in the order in which it was typed. */
interface TypedTerm {
  term: Term;
  /** The text that it was read from. */
  typed: string;
  isExcluded: boolean;
  /** Whether a bar stands before it. */
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

/** Beginnings in a query at the most: each is a search for many words. */
export const BEGINNINGS_MAX = 2;

/** How many terms `w*` a query has. */
export function countBeginnings({ all, none }: PostQuery): number {
  return [...all.flat(), ...none].filter(({ kind }) => kind === "prefix").length;
}

function newList(all: Term[][]): Term[] {
  const list: Term[] = [];
  all.push(list);
  return list;
}

/** Words that stand together without a space are a phrase, as in `кто-то`. */
function phraseOf(text: string): Term | null {
  const stems = tokensOf(text).flatMap((token) => (token.kind === "word" ? token.stem : []));
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
  return { kind: "prefix", prefix: form, stems: stemsWithin(form) };
}
