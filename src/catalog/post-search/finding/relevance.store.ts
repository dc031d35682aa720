import { type Database, statement } from "../../../db/database.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { FREQUENCY_MAX, frequentToken } from "../index-text.ts";
import type { PostQuery, Term } from "../post-query.ts";
import type { PostSearchSelection } from "../post-search.ts";
import { estimatedPosts } from "../vocabulary.store.ts";
import { anyToken, withAnyToken } from "./match-expression.ts";
import type { IndexQuery, Match } from "./matches.store.ts";
import { countRows, IN_RANGE, tablesOf, UNBOUNDED } from "./matches.store.ts";

/** Limit for matches to rank, the newest ones. */
export const RANKED_MAX = 2_000;
const HALF_LIFE_MS = 30 * DAY_MS;
/** The usual constants of bm25. */
const K1 = 1.2;
const B = 0.75;
/** Limit for counting a word's posts; above it, the number is estimated. */
const POSTS_COUNTED_MAX = 1_000;
/** Limit for reading a word's posts in the range of the matches without the rest of the query: 3 ms. */
const READ_ALONE_MAX = 10_000;
/** Limit for words to weigh; a longer query is ranked by its first ones. */
const WORDS_MAX = 10;

/**
 * Ranks matches by bm25 over the searched words, halved for every 30 days of age. A word's frequency in a
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
  for (const word of wordsOf(query)) {
    const { isInAll } = word;
    const frequencies = frequenciesOf(db, of, word);
    const weight = rarity(postsWith(db, indexQuery, word), posts?.n ?? 0);
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

/** A word of the query. Its alternative stems weigh as one: telling them apart took a search of its own for each. */
interface WeighedWord {
  stems: readonly string[];
  /** Whether every match contains it, because there is no alternative to it. */
  isInAll: boolean;
}

function wordsOf({ all }: PostQuery): WeighedWord[] {
  const words = new Map<string, WeighedWord>();
  for (const terms of all) {
    const isInAll = terms.length === 1;
    for (const stems of terms.flatMap(stemsOfTerm)) {
      const name = stems.join(" ");
      if (isInAll || !words.has(name)) words.set(name, { stems, isInAll });
    }
  }
  return [...words.values()].slice(0, WORDS_MAX);
}

function stemsOfTerm(term: Term): readonly (readonly string[])[] {
  if (term.kind === "stems") return term.stems;
  return term.kind === "form" ? [[term.stem]] : [];
}

/** Weight of a word: the fewer posts contain it, the higher. */
function rarity(having: number, posts: number): number {
  return Math.log(1 + Math.max(0, posts - having + 0.5) / (having + 0.5));
}

function postsWith(db: Database, { parts }: IndexQuery, { stems }: WeighedWord): number {
  const all = { match: anyToken(stems), parts, low: -UNBOUNDED, high: UNBOUNDED };
  const posts = countRows(db, all, POSTS_COUNTED_MAX);
  if (posts < POSTS_COUNTED_MAX) return posts;
  return Math.max(
    posts,
    stems.reduce((sum, stem) => sum + estimatedPosts(db, stem), 0),
  );
}

/**
 * How often a word occurs in the matches, by row; if every match contains it, only those with at least two
 * occurrences of one stem. A word that very many posts in the range of the matches contain twice carries little
 * weight, and is counted once.
 */
function frequenciesOf(
  db: Database,
  indexQuery: IndexQuery,
  { stems, isInAll }: WeighedWord,
): Map<number, number> {
  const frequencies = new Map<number, number>();
  for (let least = isInAll ? 2 : 1; least <= FREQUENCY_MAX; least += 1) {
    const tokens = stems.map((stem) => (least === 1 ? stem : frequentToken(stem, least)));
    // Reading these lists alone, even with rows that do not match, is faster than evaluating the whole query.
    const alone = { ...indexQuery, match: anyToken(tokens) };
    const isShort = countRows(db, alone, READ_ALONE_MAX + 1) <= READ_ALONE_MAX;
    if (!isShort && least > 1) continue;
    const { low, high } = indexQuery;
    const match = isShort ? alone.match : withAnyToken(indexQuery.match, tokens);
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
