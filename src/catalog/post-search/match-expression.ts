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
import { beginsOtherStems } from "./stems.ts";

/**
 * FTS5 expressions. Tokens are quoted, so that FTS5 sees no syntax in them, and never contain quotes: they
 * consist of letters, digits and signs of our own.
 */

const quoted = (...tokens: readonly string[]): string => `"${tokens.join(" ")}"`;

const any = (terms: readonly string[]): string => `(${terms.join(" OR ")})`;

/** Matches no post: `/` is never followed by a digit in the index. */
const NOWHERE = quoted("/0");

/**
 * Matches posts that match all of the expressions. FTS5 flattens nested ANDs into one list, and advances in
 * every operand before it checks whether they agree. An operand with NOT is not flattened, so these
 * expressions are evaluated apart from those around them.
 */
const found = (expressions: readonly string[], excluded = NOWHERE): string =>
  `((${expressions.join(" AND ")}) NOT ${excluded})`;

/**
 * The expression of a term. For an exact form, and for a prefix that is one of the word or of the stem only,
 * the index can only tell that a word with the stem occurs (`needsText`).
 * @param stemsBeginning returns the stems with a prefix; FTS5's own prefix query would collect the posts of
 * all of them before its first result
 */
function termExpression(term: Term, stemsBeginning: (beginning: string) => string[]): string {
  switch (term.kind) {
    case "stems":
      return quoted(...term.stems);
    case "form":
      return quoted(term.stem);
    case "prefix": {
      const stems = new Set(stemsBeginning(term.prefix));
      // Never empty: it contains at least the prefix itself, which may match no post.
      for (const stem of [term.prefix, ...term.stems]) stems.add(stem);
      return any([...stems].map((stem) => quoted(stem)));
    }
    default:
      return quoted(term.form);
  }
}

/** Whether the texts of candidates must be tested, because the index contains stems but no forms. */
export function needsText({ all, none }: PostQuery): boolean {
  return [...all.flat(), ...none].some(isOfForms);
}

function isOfForms(term: Term): boolean {
  if (term.kind === "form") return true;
  return term.kind === "prefix" && (term.stems.length > 0 || beginsOtherStems(term.prefix));
}

/**
 * The FTS5 expression of a query with its filters; time is not part of it.
 * @param stale channels whose posts may have outdated facets; filters by category and territory include all
 * of their posts
 * @param stemsBeginning returns the stems that `beginning*` stands for
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

export const levelExpression = (level: number): string => quoted(levelToken(level));

/** Restricts an expression to views of these levels, both inclusive. */
export function withLevels(match: string, least: number, most: number): string {
  return `${found([any(levelsFrom(least, most))])} AND (${match})`;
}

export function withToken(match: string, token: string): string {
  return `${found([quoted(token)])} AND (${match})`;
}

export const stemExpression = (stem: string): string => quoted(stem);
