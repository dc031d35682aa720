import { type Database, statement } from "../../../db/database.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { FREQUENCY_MAX, frequentToken } from "../index-text.ts";
import type { PostQuery, Term } from "../post-query.ts";
import type { PostSearchSelection } from "../post-search.ts";
import { estimatedPosts } from "../vocabulary.store.ts";
import { stemExpression, withAnyToken } from "./match-expression.ts";
import {
  countRows,
  IN_RANGE,
  type IndexQuery,
  type Match,
  tablesOf,
  UNBOUNDED,
} from "./matches.store.ts";

/** Limit for matches to rank, the newest ones. */
export const RANKED_MAX = 2_000;
const HALF_LIFE_MS = 30 * DAY_MS;
/** The usual constants of bm25. */
const K1 = 1.2;
const B = 0.75;
/** Limit for counting a stem's posts; above it, the number is estimated. */
const POSTS_COUNTED_MAX = 1_000;
/** Limit for reading a stem's posts in the range of the matches without the rest of the query: 3 ms. */
const READ_ALONE_MAX = 10_000;
/** Limit for stems to weigh; a longer query is ranked by its first ones. */
const STEMS_MAX = 10;

/**
 * Ranks matches by bm25 over the searched stems, halved for every 30 days of age. A stem's frequency in a
 * text is known as one, two, or more.
 * @param ranked the newest matches, by descending row
 */
export function rankByRelevance(
  db: Database,
  indexQuery: IndexQuery,
  ranked: readonly Match[],
  { query, nowMs, limit }: PostSearchSelection,
): Match[] {
  const scores = new Map(ranked.map(({ row }) => [row, 0]));
  const meanWords = ranked.reduce((sum, { words }) => sum + words, 0) / ranked.length;
  const posts = statement<{ n: number }>(db, "SELECT coalesce(max(id), 0) AS n FROM posts").get();
  const of = { ...indexQuery, low: ranked.at(-1)?.row ?? 0, high: (ranked[0]?.row ?? 0) + 1 };
  for (const { stem, isInAll } of stemsOf(query)) {
    const frequencies = frequenciesOf(db, of, stem, isInAll);
    const weight = rarity(postsWith(db, indexQuery, stem), posts?.n ?? 0);
    for (const { row, words } of ranked) {
      const frequency = frequencies.get(row) ?? (isInAll ? 1 : 0);
      const length = K1 * (1 - B + (B * words) / meanWords);
      const score = (weight * frequency * (K1 + 1)) / (frequency + length);
      scores.set(row, (scores.get(row) ?? 0) + score);
    }
  }
  const scored = ranked.map((match) => {
    const age = Math.max(0, nowMs - match.published_at) / HALF_LIFE_MS;
    // A query without stems, such as a tag, is ranked by age alone.
    return { match, score: (scores.get(match.row) || 1) * 0.5 ** age };
  });
  scored.sort(
    (one, other) =>
      other.score - one.score ||
      other.match.published_at - one.match.published_at ||
      other.match.id - one.match.id,
  );
  return scored.slice(0, limit).map(({ match }) => match);
}

interface WeighedStem {
  stem: string;
  /** Whether every match contains it, because there is no alternative to it. */
  isInAll: boolean;
}

function stemsOf({ all }: PostQuery): WeighedStem[] {
  const stems = new Map<string, WeighedStem>();
  for (const terms of all) {
    const isInAll = terms.length === 1;
    for (const alternatives of terms.flatMap(stemsOfTerm)) {
      const isOnly = isInAll && alternatives.length === 1;
      for (const stem of alternatives) {
        if (isOnly || !stems.has(stem)) stems.set(stem, { stem, isInAll: isOnly });
      }
    }
  }
  return [...stems.values()].slice(0, STEMS_MAX);
}

function stemsOfTerm(term: Term): readonly (readonly string[])[] {
  if (term.kind === "stems") return term.stems;
  return term.kind === "form" ? [[term.stem]] : [];
}

/** Weight of a stem: the fewer posts contain it, the higher. */
function rarity(having: number, posts: number): number {
  return Math.log(1 + Math.max(0, posts - having + 0.5) / (having + 0.5));
}

function postsWith(db: Database, { parts }: IndexQuery, stem: string): number {
  const all = { match: stemExpression(stem), parts, low: -UNBOUNDED, high: UNBOUNDED };
  const posts = countRows(db, all, POSTS_COUNTED_MAX);
  return posts < POSTS_COUNTED_MAX ? posts : Math.max(posts, estimatedPosts(db, stem));
}

/**
 * How often a stem occurs in the matches, by row; if every match contains it, only those with at least two
 * occurrences. A stem that very many posts in the range of the matches contain twice carries little weight,
 * and is counted once.
 */
function frequenciesOf(
  db: Database,
  indexQuery: IndexQuery,
  stem: string,
  isInAll: boolean,
): Map<number, number> {
  const frequencies = new Map<number, number>();
  for (let least = isInAll ? 2 : 1; least <= FREQUENCY_MAX; least += 1) {
    const token = least === 1 ? stem : frequentToken(stem, least);
    // Reading a single list, even with rows that do not match, is faster than evaluating the whole query.
    const alone = { ...indexQuery, match: stemExpression(token) };
    const isShort = countRows(db, alone, READ_ALONE_MAX + 1) <= READ_ALONE_MAX;
    if (!isShort && least > 1) continue;
    const { low, high } = indexQuery;
    const match = isShort ? alone.match : withAnyToken(indexQuery.match, [token]);
    for (const table of tablesOf(indexQuery)) {
      const having = statement<{ row: number }>(
        db,
        `SELECT s.rowid AS row FROM ${table} s WHERE s.${table} MATCH @match AND ${IN_RANGE}`,
      );
      for (const { row } of having.all({ match, low, high })) frequencies.set(row, least);
    }
  }
  return frequencies;
}
