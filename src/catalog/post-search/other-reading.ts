import { foldText } from "../../values/fold-text.ts";
import { type Term, termsOf } from "./post-query.ts";
import { tokensOf } from "./tokens.ts";

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
