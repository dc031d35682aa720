import { foldText } from "../../../values/fold-text.ts";
import { type PostQuery, type Term, termsOf } from "../post-query.ts";
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
/** Letters that fold otherwise, and signs that may be within a word. */
const ODD =
  /(?![0-9A-Za-zА-Яа-яЁё])[\p{L}\p{N}]|[\p{L}\p{N}][\p{M}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns the test whether a text matches a query. Most texts that do not, such as those with other forms, lack
 * the letters of an exact form or beginning: looking for these takes 0.4 us, and reading the words 15.
 */
export function createTextTest(query: PostQuery): (text: string) => boolean {
  const needed = query.all.flatMap((terms) => {
    const letters = terms.map(lettersOf);
    return letters.includes(null) ? [] : [new RegExp(letters.join("|"), "iu")];
  });
  return (text) =>
    (needed.every((one) => one.test(text)) || ODD.test(text)) && isMatch(query, tokensOf(text));
}

/** Pattern of the letters that every text with a term contains; null if unknown. */
function lettersOf(term: Term): string | null {
  const letters = term.kind === "form" ? term.form : term.kind === "prefix" ? term.prefix : "";
  return PLAIN.test(letters) ? letters.replaceAll("е", "[её]") : null;
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
