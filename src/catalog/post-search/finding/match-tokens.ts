import { foldText } from "../../../values/fold-text.ts";
import { type PostQuery, type Term, termsOf } from "../post-query.ts";
import { FORM_LENGTH_MAX } from "../stems.ts";
import { type Place, type Token, tokensOf, type Word } from "../tokens.ts";

/** Whether a text matches, judged by its tokens (tokens.ts). Agrees with what the index finds. */
export function isMatch({ all, none }: PostQuery, tokens: readonly Token[]): boolean {
  return (
    all.every((terms) => terms.some((term) => hasTerm(term, tokens))) &&
    !none.some((term) => hasTerm(term, tokens))
  );
}

export function hasTerm(term: Term, tokens: readonly Token[]): boolean {
  return !placesOf(term, tokens).next().done;
}

/**
 * The places where a text contains a term of the query, ascending; touching and overlapping ones are
 * merged.
 */
export function hitsOf({ all }: PostQuery, tokens: readonly Token[]): Place[] {
  const places = all.flat().flatMap((term) => [...placesOf(term, tokens)]);
  places.sort((one, other) => one.start - other.start || one.end - other.end);
  const hits: Place[] = [];
  for (const { start, end } of places) {
    const last = hits.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else hits.push({ start, end });
  }
  return hits;
}

/** Letters that only fold to others by their case, and ё. */
const PLAIN = /^[0-9a-zа-я]+$/;
const RUSSIAN = /^[а-я]+$/;
/** Where no word goes on. */
const START = String.raw`(?<![\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}])`;
const END = String.raw`(?![\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}])`;
/** Where the last letter is no other by a mark on it. */
const UNMARKED = String.raw`(?![\p{M}\p{Default_Ignorable_Code_Point}])`;
/**
 * Characters other than those that neither fold to a Russian letter, nor are dropped from a word, nor mark a letter:
 * ASCII, Latin, Cyrillic, punctuation, symbols and most pictures. A few ranges, since this is asked of each text.
 */
const UNUSUAL =
  /[^\n\r\t -\u00ac\u00ae-\u02b8\u02ba\u02be-\u02c7\u02c9-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205f\u20a0-\u20cf\u2100-\u2bff\ud83c-\ud83e\udc00-\udfff]/;
/** Letters that fold otherwise, and signs that may be within a word. */
const ODD =
  /(?![0-9A-Za-zА-Яа-яЁё])[\p{L}\p{N}]|[\p{L}\p{N}][\p{M}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns the test whether a text matches a query. Looking for the letters of exact forms and beginnings takes 1 us,
 * and decides about nearly every text; reading the words takes 15.
 */
export function createTextTest(query: PostQuery): (text: string) => boolean {
  const lists = query.all.map((terms) => terms.map(patternsOf));
  const patterns = lists.flatMap((list) => {
    const known = list.filter((one) => one !== null);
    return known.length === list.length ? [known] : [];
  });
  const needed = patterns.map((list) => new RegExp(list.map(({ loose }) => loose).join("|")));
  const areRussian = patterns.flat().every(({ isRussian }) => isRussian);
  const isOdd = (text: string): boolean => (!areRussian || UNUSUAL.test(text)) && ODD.test(text);
  const isSure = patterns.length === lists.length && query.none.length === 0;
  const enough = patterns.map((list) => new RegExp(list.map(({ exact }) => exact).join("|"), "u"));
  return (text) => {
    if (!needed.every((one) => one.test(text)) && !isOdd(text)) return false;
    return (isSure && enough.every((one) => one.test(text))) || isMatch(query, tokensOf(text));
  };
}

/** Patterns of letters, for regular expressions. */
interface Patterns {
  /** In every text with the term that is not odd; also within other words. */
  loose: string;
  /** In no text without the term. */
  exact: string;
  isRussian: boolean;
}

/** Null for terms that only the words tell. */
function patternsOf(term: Term): Patterns | null {
  const letters = term.kind === "form" ? term.form : term.kind === "prefix" ? term.prefix : "";
  if (!PLAIN.test(letters) || letters.length === FORM_LENGTH_MAX) return null;
  const isRussian = RUSSIAN.test(letters);
  const loose = Array.from(letters, (letter) => {
    const written = letter === "е" ? "её" : letter;
    return `[${written}${written.toUpperCase()}]`;
  }).join("");
  return { loose, exact: START + loose + (term.kind === "form" ? END : UNMARKED), isRussian };
}

function* placesOf(term: Term, tokens: readonly Token[]): Generator<Place, void> {
  switch (term.kind) {
    case "stems":
      yield* phrases(term.stems, tokens);
      return;
    case "form":
      yield* tokens.filter((token) => token.kind === "word" && token.form === term.form);
      return;
    case "prefix":
      yield* tokens.filter((token) => token.kind === "word" && token.form.startsWith(term.prefix));
      return;
    default:
      yield* tokens.filter((token) => token.kind === term.kind && token.form === term.form);
  }
}

function* phrases(
  stems: readonly (readonly string[])[],
  tokens: readonly Token[],
): Generator<Place, void> {
  const words = tokens.filter((token): token is Word => token.kind === "word");
  for (const [at, first] of words.entries()) {
    const last = words[at + stems.length - 1];
    if (last === undefined) return;
    if (stems.every((one, ahead) => one.includes(words[at + ahead]?.stem ?? ""))) {
      yield { start: first.start, end: last.end };
    }
  }
}

/** Punctuation that people write between words without meaning it as part of the search. */
const PUNCTUATION = /[.,;:!?]+(?=\s|$)/gu;

/** How a query was understood, in the query syntax; null if as it was typed, apart from letter case. */
export function otherReading(q: string): string | null {
  const read = [...termsOf(q)].map(({ term, typed, isExcluded, isAlternative }, at) =>
    [isAlternative && at > 0 ? "| " : "", isExcluded ? "-" : "", termText(term, typed)].join(""),
  );
  const reading = read.join(" ");
  const isSame = signs(reading) === signs(foldText(q).replace(PUNCTUATION, ""));
  return isSame || reading === "" ? null : reading;
}

/** A query without differences of no meaning: spaces around a bar, and quotes around a single word. */
function signs(text: string): string {
  return text
    .replace(/"([^\s"]*)"/g, "$1")
    .replace(/\s*\|\s*/g, "|")
    .trim();
}

function termText(term: Term, typed: string): string {
  if (term.kind === "prefix") return `${term.prefix}*`;
  if (term.kind === "form") return `=${term.form}`;
  if (term.kind !== "stems") return term.form;
  const forms = tokensOf(typed).flatMap((token) => (token.kind === "word" ? token.form : []));
  return forms.length === 1 ? forms.join("") : `"${forms.join(" ")}"`;
}
