import {
  AD_TOKEN,
  categoryToken,
  channelToken,
  LEVEL_MAX,
  levelOf,
  levelToken,
  mediaToken,
  territoryToken,
} from "./index-text.ts";
import type { PostQuery, Term } from "./post-query.ts";
import type { PostFilter } from "./post-search.ts";

/**
 * FTS5 expressions. Every token stands in quotes, within which FTS5 has no syntax, and no token has a
 * quote: they are made of letters, digits and signs of our own.
 */

const quoted = (...tokens: readonly string[]): string => `"${tokens.join(" ")}"`;

/** Any of some expressions. */
const any = (terms: readonly string[]): string => `(${terms.join(" OR ")})`;

/** Stands in no post: no sign of ours is followed by a digit. */
const NOWHERE = quoted("/0");

/**
 * Posts with all of some expressions, found by themselves. FTS5 makes one list of nested ANDs, and moves on in each of its
 * lists before it looks whether they agree; a part of it that is a NOT is not joined to the others.
 */
const found = (expressions: readonly string[], excluded = NOWHERE): string =>
  `((${expressions.join(" AND ")}) NOT ${excluded})`;

/**
 * The index's answer to a term; of an exact form, and a beginning with another stem, that there is a word with
 * that stem.
 * @param stemsBeginning FTS5 would gather all posts of all stems that begin so before its first answer
 */
function termExpression(term: Term, stemsBeginning: (beginning: string) => string[]): string {
  switch (term.kind) {
    case "stems":
      return quoted(...term.stems);
    case "form":
      return quoted(term.stem);
    case "prefix": {
      const stems = new Set(stemsBeginning(term.prefix));
      // One at least: the beginning itself, which then is in no post.
      for (const stem of [term.prefix, ...term.stems]) stems.add(stem);
      return any([...stems].map((stem) => quoted(stem)));
    }
    default:
      return quoted(term.form);
  }
}

/** Whether the index alone does not tell which posts match: it has stems, and no forms. */
export function needsText({ all, none }: PostQuery): boolean {
  return [...all.flat(), ...none].some(isOfForms);
}

function isOfForms(term: Term): boolean {
  return term.kind === "form" || (term.kind === "prefix" && term.stems.length > 0);
}

/**
 * @param stale channels whose posts may have former facets: a filter finds all of theirs too
 * @param stemsBeginning the stems that a `beginning*` stands for
 */
export function matchExpression(
  query: PostQuery,
  filter: PostFilter,
  stale: readonly number[],
  stemsBeginning: (beginning: string) => string[],
): string {
  const expression = (term: Term): string => termExpression(term, stemsBeginning);
  const facet = (token: string): string =>
    any([token, ...stale.map(channelToken)].map((one) => quoted(one)));
  const { channelId, categoryId, territoryId, isAd, media, viewsMin } = filter;
  const filters = [
    ...(channelId === null ? [] : [quoted(channelToken(channelId))]),
    ...(viewsMin === null || viewsMin === 0 ? [] : [any(levelsFrom(levelOf(viewsMin)))]),
    ...(isAd === true ? [quoted(AD_TOKEN)] : []),
    ...(categoryId === null ? [] : [facet(categoryToken(categoryId))]),
    ...(media === null ? [] : [quoted(mediaToken(media))]),
    ...(territoryId === null ? [] : [facet(territoryToken(territoryId))]),
  ];
  const ads = isAd === false ? [quoted(AD_TOKEN)] : [];
  const excluded = query.none.filter((term) => !isOfForms(term)).map(expression);
  const words = query.all.map((terms) => any(terms.map(expression)));
  const all = filters.length === 0 ? words : [found(filters, ...ads), ...words];
  const none = filters.length === 0 ? [...excluded, ...ads] : excluded;
  return none.length === 0 ? all.join(" AND ") : `(${all.join(" AND ")}) NOT ${any(none)}`;
}

function levelsFrom(least: number, most = LEVEL_MAX): string[] {
  const levels: string[] = [];
  for (let level = least; level <= most; level += 1) levels.push(quoted(levelToken(level)));
  return levels;
}

/** Posts whose views are of a level. */
export const levelExpression = (level: number): string => quoted(levelToken(level));

/** The expression for matches whose views are of these levels, both included. */
export function withLevels(match: string, least: number, most: number): string {
  return `${found([any(levelsFrom(least, most))])} AND (${match})`;
}

/** The expression with one token more that each match must have. */
export function withToken(match: string, token: string): string {
  return `${found([quoted(token)])} AND (${match})`;
}

/** Posts that have a stem. */
export const stemExpression = (stem: string): string => quoted(stem);
