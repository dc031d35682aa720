import {
  AD_TOKEN,
  categoryToken,
  channelToken,
  LEVEL_MAX,
  levelOf,
  levelToken,
  mediaToken,
  territoryToken,
} from "../index-text.ts";
import { type PostQuery, type PrefixTerm, sequencesOf, type Term } from "../post-query.ts";
import type { PostFilter } from "../post-search.ts";
import { beginsOtherStems, isOnlyForm } from "../stems.ts";

/**
 * FTS5 expressions. Tokens are quoted, so that FTS5 sees no syntax in them, and never contain quotes: they
 * consist of letters, digits and signs of our own.
 */

const quoted = (...tokens: readonly string[]): string => `"${tokens.join(" ")}"`;

const any = (terms: readonly string[]): string => `(${terms.join(" OR ")})`;

/** Matches no post: `/` is never followed by a digit in the index. */
const NOWHERE = quoted("/0");
/** Stands for all posts. As one of a list's alternatives, it makes the list a test of texts alone. */
const EVERYWHERE = "";

/**
 * Matches posts that match all of the expressions. FTS5 flattens nested ANDs into one list, and advances in
 * every operand before it checks whether they agree. An operand with NOT is not flattened, so these
 * expressions are evaluated apart from those around them.
 */
const found = (expressions: readonly string[], excluded = NOWHERE): string =>
  `((${expressions.join(" AND ")}) NOT ${excluded})`;

/**
 * FTS5 expressions of a term: one for posts that contain it for certain, and one for all that may contain it,
 * whose texts decide. Both are the same if the index decides alone.
 */
interface TermExpressions {
  certain: string;
  possible: string;
}

/** The stems of words that begin with a prefix. */
export interface BeginningStems {
  /** Stems with the prefix, most frequent first; not more than are worth naming one by one. */
  named: readonly string[];
  /** Whether there are more of them. */
  hasMore: boolean;
  /** Whether they occur so often that reading all their posts would take too long. */
  isFrequent: boolean;
  /** Stems that lack the prefix themselves, of words that may have it. */
  others: readonly string[];
}

/** Those of a beginning that texts alone decide about. */
export const ANY_STEMS: BeginningStems = {
  named: [],
  hasMore: true,
  isFrequent: true,
  others: [],
};

function termExpressions(
  term: Term,
  stemsOf: (beginning: PrefixTerm) => BeginningStems,
): TermExpressions {
  switch (term.kind) {
    case "stems":
      return phraseExpressions(term.stems);
    case "form":
      return isOnlyForm(term.form)
        ? decided(quoted(term.stem))
        : { certain: NOWHERE, possible: quoted(term.stem) };
    case "prefix":
      return beginningExpressions(term, stemsOf(term));
    default:
      return decided(quoted(term.form));
  }
}

/** A phrase of too many sequences is told by the texts that contain all of its words. */
function phraseExpressions(stems: readonly (readonly string[])[]): TermExpressions {
  const sequences = sequencesOf(stems);
  if (sequences !== null) return decided(any(sequences.map((sequence) => quoted(...sequence))));
  return { certain: NOWHERE, possible: `(${stems.map(anyToken).join(" AND ")})` };
}

function beginningExpressions(
  { prefix }: PrefixTerm,
  { named, hasMore, isFrequent, others }: BeginningStems,
): TermExpressions {
  const areOthers = beginsOtherStems(prefix);
  // Only the last letter of a stem may differ from its words.
  const sure = areOthers ? named.filter((stem) => stem !== prefix) : named;
  const certain = hasMore && !isFrequent && !areOthers ? any([beginning(prefix)]) : anyToken(sure);
  if (isFrequent) return { certain, possible: EVERYWHERE };
  const all = hasMore ? [beginning(prefix)] : named.map((stem) => quoted(stem));
  const possible = [...all, ...others.map((stem) => quoted(stem))];
  return { certain, possible: possible.length === 0 ? NOWHERE : any(possible) };
}

const decided = (expression: string): TermExpressions => ({
  certain: expression,
  possible: expression,
});

export const anyToken = (stems: readonly string[]): string =>
  stems.length === 0 ? NOWHERE : any(stems.map((stem) => quoted(stem)));

/** FTS5 collects the posts of all tokens with the prefix before its first result. */
const beginning = (prefix: string): string => `${quoted(prefix)} *`;

export interface MatchExpressions {
  /** All posts that may match. */
  match: string;
  /** Those that do for certain: the texts of the others decide. Null if the index decides alone. */
  certain: string | null;
  /** The part of the query that texts decide; the index decides the rest. */
  undecided: PostQuery;
}

/**
 * The FTS5 expressions of a query with its filters; time is not part of them.
 * @param stale channels whose posts may have outdated facets; filters by category and territory include all
 * of their posts
 * @param stemsOf returns the stems that `beginning*` stands for
 */
export function matchExpressions(
  query: PostQuery,
  filter: PostFilter,
  stale: readonly number[],
  stemsOf: (beginning: PrefixTerm) => BeginningStems,
): MatchExpressions {
  const expressions = (term: Term): TermExpressions => termExpressions(term, stemsOf);
  const all = query.all.map((terms) => terms.map(expressions));
  const none = query.none.map(expressions);
  const filters = filterExpressions(filter, stale);
  const match = combine(
    filters,
    all.map((list) => list.map(({ possible }) => possible)),
    none.map(({ certain }) => certain),
  );
  const isDecided = ({ certain, possible }: TermExpressions) => certain === possible;
  const undecided = {
    all: query.all.filter((_, at) => !all[at]?.every(isDecided)),
    none: query.none.filter((_, at) => none[at] !== undefined && !isDecided(none[at])),
  };
  if (undecided.all.length + undecided.none.length === 0)
    return { match, certain: null, undecided };
  const certain = combine(
    filters,
    all.map((list) => list.map(({ certain }) => certain)),
    none.map(({ possible }) => possible),
  );
  return { match, certain, undecided };
}

interface FilterExpressions {
  filters: string[];
  excluded: string[];
}

function filterExpressions(filter: PostFilter, stale: readonly number[]): FilterExpressions {
  const facet = (token: string): string =>
    any([token, ...stale.map(channelToken)].map((one) => quoted(one)));
  const { channelId, categoryId, territoryId, isAd, media, viewsMin } = filter;
  return {
    filters: [
      ...(channelId === null ? [] : [quoted(channelToken(channelId))]),
      ...(viewsMin === null || viewsMin === 0 ? [] : [any(levelsFrom(levelOf(viewsMin)))]),
      ...(isAd === true ? [quoted(AD_TOKEN)] : []),
      ...(categoryId === null ? [] : [facet(categoryToken(categoryId))]),
      ...(media === null ? [] : [quoted(mediaToken(media))]),
      ...(territoryId === null ? [] : [facet(territoryToken(territoryId))]),
    ],
    excluded: isAd === false ? [quoted(AD_TOKEN)] : [],
  };
}

/** All posts that pass the filters; null without filters, or if only advertising is excluded. */
export function filterExpression(filter: PostFilter, stale: readonly number[]): string | null {
  const { filters, excluded } = filterExpressions(filter, stale);
  return filters.length === 0 ? null : found(filters, ...excluded);
}

/** @param all lists of alternatives @param none expressions to exclude */
function combine(
  { filters, excluded: ads }: FilterExpressions,
  all: readonly (readonly string[])[],
  none: readonly string[],
): string {
  if (none.includes(EVERYWHERE)) return NOWHERE;
  const lists = all.filter((alternatives) => !alternatives.includes(EVERYWHERE));
  const words = lists.map((alternatives) => any(alternatives));
  const anyPost = words.length === 0 && filters.length === 0 ? [anyPostExpression()] : [];
  const positive = filters.length === 0 ? anyPost : [found(filters, ...ads)];
  const negative = [...none.filter((one) => one !== NOWHERE), ...(filters.length === 0 ? ads : [])];
  const joined = [...positive, ...words].join(" AND ");
  return negative.length === 0 ? joined : `(${joined}) NOT ${any(negative)}`;
}

/** The posts that may match, less those that do for certain. */
export const doubtfulExpression = ({
  match,
  certain,
}: Pick<MatchExpressions, "match" | "certain">): string =>
  certain === null ? NOWHERE : `(${match}) NOT (${certain})`;

function levelsFrom(least: number, most = LEVEL_MAX): string[] {
  const levels: string[] = [];
  for (let level = least; level <= most; level += 1) levels.push(quoted(levelToken(level)));
  return levels;
}

/** Matches every post of the index. */
export const anyPostExpression = (): string => any(levelsFrom(0));

export const levelExpression = (level: number): string => quoted(levelToken(level));

/** Restricts an expression to views of these levels, both inclusive. */
export function withLevels(match: string, least: number, most: number): string {
  return `${found([any(levelsFrom(least, most))])} AND (${match})`;
}

export function withAnyToken(match: string, tokens: readonly string[]): string {
  return `${found([anyToken(tokens)])} AND (${match})`;
}
