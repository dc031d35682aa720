import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import { FREQUENCY_MAX, frequentToken } from "./index-text.ts";
import { stemExpression, withToken } from "./match-expression.ts";
import { type Asked, type Match, walkMatches } from "./matches.store.ts";
import type { PostQuery } from "./post-query.ts";
import type { PostSearchSelection } from "./post-search.ts";

/** Newest matches that are ranked. */
const RANKED_MAX = 2_000;
const HALF_LIFE_MS = 30 * DAY_MS;
/** The usual constants of bm25. */
const K1 = 1.2;
const B = 0.75;
/** A stem that stands in more posts counts as one of so many. */
const POSTS_COUNTED_MAX = 10_000;
/** Stems that are weighed; a query of more is ranked by these. */
const STEMS_MAX = 20;

/**
 * The newest matches by bm25 over the stems that are asked for, each halved for every 30 days of age. How
 * often a stem stands in a text is known as once, twice, or more often.
 */
export function rankByRelevance(
  db: Database,
  asked: Asked,
  { query, nowMs, limit }: PostSearchSelection,
): Match[] {
  const ranked: Match[] = [];
  for (const match of walkMatches(db, asked)) {
    ranked.push(match);
    if (ranked.length === RANKED_MAX) break;
  }
  const scores = new Map(ranked.map(({ row }) => [row, 0]));
  const meanWords = ranked.reduce((sum, { words }) => sum + words, 0) / ranked.length;
  const posts = statement<{ n: number }>(db, "SELECT coalesce(max(id), 0) AS n FROM posts").get();
  const of = { ...asked, low: ranked.at(-1)?.row ?? 0, high: (ranked[0]?.row ?? 0) + 1 };
  for (const stem of stemsOf(query)) {
    const frequencies = frequenciesOf(db, of, stem);
    const weight = rarity(postsWith(db, stem), posts?.n ?? 0);
    for (const { row, words } of ranked) {
      const frequency = frequencies.get(row) ?? 0;
      const length = K1 * (1 - B + (B * words) / meanWords);
      const score = (weight * frequency * (K1 + 1)) / (frequency + length);
      scores.set(row, (scores.get(row) ?? 0) + score);
    }
  }
  const scored = ranked.map((match) => {
    const age = Math.max(0, nowMs - match.published_at) / HALF_LIFE_MS;
    // A query of signs alone, such as a tag, is ranked by age.
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

function stemsOf({ all }: PostQuery): string[] {
  const stems = all.flat().flatMap((term) => {
    if (term.kind === "stems") return term.stems;
    return term.kind === "form" ? [term.stem] : [];
  });
  return [...new Set(stems)].slice(0, STEMS_MAX);
}

/** The weight of a stem: the fewer posts have it, the higher. */
function rarity(having: number, posts: number): number {
  return Math.log(1 + Math.max(0, posts - having + 0.5) / (having + 0.5));
}

function postsWith(db: Database, stem: string): number {
  const counted = statement<{ n: number }>(
    db,
    `SELECT count(*) AS n FROM (SELECT 1 FROM post_search s
     WHERE ${WITHIN_DEADLINE} AND s.post_search MATCH ? LIMIT ?)`,
  ).get(stemExpression(stem), POSTS_COUNTED_MAX);
  return counted?.n ?? 0;
}

/** How often a stem stands in the matches, by their rows. */
function frequenciesOf(
  db: Database,
  { match, low, high }: Asked,
  stem: string,
): Map<number, number> {
  const having = statement<{ row: number }>(
    db,
    `SELECT s.rowid AS row FROM post_search s
     WHERE ${WITHIN_DEADLINE} AND s.post_search MATCH ? AND s.rowid >= ? AND s.rowid < ?`,
  );
  const frequencies = new Map<number, number>();
  for (let least = 1; least <= FREQUENCY_MAX; least += 1) {
    const token = least === 1 ? stem : frequentToken(stem, least);
    for (const { row } of having.iterate(withToken(match, token), low, high)) {
      frequencies.set(row, least);
    }
  }
  return frequencies;
}
