import type { PostQuery } from "../post-query.ts";
import { type Place, tokensOf } from "../tokens.ts";
import { hitsOf } from "./match-tokens.ts";

/** Longest snippet in code points, including the ellipses at its ends. */
export const SNIPPET_LENGTH_MAX = 200;
/** Code points to show before the first hit. */
const BEFORE = 50;
const DOTS = "…";
/** UTF-16 units to search for the first hit; doubled as long as there is none. */
const READ_AT_FIRST = 400;

export interface Snippet {
  /** Plain text of at most 200 code points around the first hit, on one line. */
  snippet: string;
  /** Hits in it, as ranges of code points, the end exclusive. */
  highlights: [start: number, end: number][];
}

export function snippetOf(text: string, query: PostQuery): Snippet {
  const snippet = cutAround(beginningWithHit(text, query));
  const hits = hitsOf(query, tokensOf(snippet));
  return { snippet, highlights: hits.map(({ start, end }) => [start, end]) };
}

interface Beginning {
  plain: string;
  places: readonly Place[];
  /** Position of the first hit, in code points; 0 if there is none. */
  hit: number;
  isWhole: boolean;
}

/**
 * As much of a text as contains the first hit and what a snippet shows after it, so that most of a long
 * text is not read.
 */
function beginningWithHit(text: string, query: PostQuery): Beginning {
  for (let length = READ_AT_FIRST; ; length *= 2) {
    const end = endOfPiece(text, length);
    const isWhole = end === text.length;
    const plain = text.slice(0, end).replace(/\s+/g, " ").trim();
    const places = tokensOf(plain);
    const hit = hitsOf(query, places)[0]?.start;
    const read = places.at(-1)?.end ?? 0;
    if (isWhole || (hit !== undefined && hit + 2 * SNIPPET_LENGTH_MAX <= read)) {
      return { plain, places, hit: hit ?? 0, isWhole };
    }
  }
}

/** End of a piece of about this length, at white space so that it consists of whole words. */
function endOfPiece(text: string, length: number): number {
  const space = text.slice(length).search(/\s/);
  return space === -1 ? text.length : length + space;
}

/** Cuts between words, so that no part of a word looks like another word. */
function cutAround({ plain, places, hit, isWhole }: Beginning): string {
  const { length, slice } = sliceable(plain);
  if (isWhole && length <= SNIPPET_LENGTH_MAX) return plain;
  const isNear = hit <= SNIPPET_LENGTH_MAX / 2;
  const first = places.find(({ start }) => start >= hit - BEFORE)?.start ?? hit;
  const begin = isNear ? 0 : Math.min(hit, first);
  const room = begin + SNIPPET_LENGTH_MAX - 2 * DOTS.length;
  const lastWord = places.findLast((place) => place.end <= room)?.end ?? 0;
  const end = length <= room ? length : Math.max(begin, lastWord);
  // A word longer than a snippet is cut.
  const until = end > hit ? end : room;
  return [begin > 0 ? DOTS : "", slice(begin, until), until < length ? DOTS : ""].join("");
}

/**
 * Allows slicing by code points. Usually they are single units, and splitting a text costs as much as
 * reading it.
 */
function sliceable(text: string) {
  if (!/[\ud800-\udfff]/.test(text)) {
    return { length: text.length, slice: (from: number, to: number) => text.slice(from, to) };
  }
  const points = [...text];
  const slice = (from: number, to: number) => points.slice(from, to).join("");
  return { length: points.length, slice };
}
