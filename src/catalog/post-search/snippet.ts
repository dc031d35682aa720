import { hitsOf } from "./match-tokens.ts";
import type { PostQuery } from "./post-query.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** Longest snippet, in code points, with the dots where it begins or ends within the text. */
export const SNIPPET_LENGTH_MAX = 200;
/** Text before the first hit. */
const BEFORE = 50;
const DOTS = "…";

export interface Snippet {
  snippet: string;
  highlights: [start: number, end: number][];
}

/** The part of a text around its first hit, on one line, and where the hits are in it. */
export function snippetOf(text: string, query: PostQuery): Snippet {
  const plain = text.replace(/\s+/g, " ").trim();
  const tokens = tokensOf(plain);
  const snippet = cutAround(plain, tokens, hitsOf(query, tokens)[0]?.start ?? 0);
  const hits = hitsOf(query, tokensOf(snippet));
  return { snippet, highlights: hits.map(({ start, end }) => [start, end]) };
}

/** Cuts between words, so that no part of one reads as another. */
function cutAround(text: string, tokens: readonly Token[], hit: number): string {
  const points = [...text];
  if (points.length <= SNIPPET_LENGTH_MAX) return text;
  const starts = tokens.map(({ start }) => start);
  const isNear = hit <= SNIPPET_LENGTH_MAX / 2;
  const begin = isNear ? 0 : Math.min(hit, starts.find((start) => start >= hit - BEFORE) ?? hit);
  const room = begin + SNIPPET_LENGTH_MAX - 2 * DOTS.length;
  const end =
    points.length <= room
      ? points.length
      : Math.max(begin, ...tokens.map((token) => (token.end <= room ? token.end : 0)));
  // A word that is longer than a snippet is cut.
  const until = end > hit ? end : room;
  return [
    begin > 0 ? DOTS : "",
    ...points.slice(begin, until),
    until < points.length ? DOTS : "",
  ].join("");
}
