import { facet } from "../channels/search-text.ts";
import type { Media } from "../posts/post.ts";
import { tokensOf } from "./tokens.ts";

/**
 * What the index has of a post: one text of tokens with spaces between them. First the stems of its words
 * in their order, so that phrases are found; then marks, and what filters and orderings ask for. Their
 * signs stand in no word, so that no word of a query is taken for one of them.
 */

/** Least views of each level: 0 alone, then steps of two to two and a half, round as people ask for them. */
const LEVELS: readonly number[] = [
  0,
  1,
  ...Array.from({ length: 13 }, (_, power) =>
    [100, 200, 500].map((least) => least * 10 ** power),
  ).flat(),
];

export const LEVEL_MAX = LEVELS.length - 1;

/** The level of a number of views. */
export function levelOf(views: number): number {
  return LEVELS.findLastIndex((least) => least <= views);
}

/** Whether a level begins with this number of views, so that no post of it has less. */
export function isLevel(views: number): boolean {
  return LEVELS.includes(views);
}

export const AD_TOKEN = "/ad";
export const channelToken = (id: number): string => `/c${id}`;
export const levelToken = (level: number): string => `/v${level}`;
export const mediaToken = (kind: Media | string): string => `/m${kind}`;
export const categoryToken = (id: number): string => facet("category", id);
export const territoryToken = (id: number): string => facet("territory", id);

/** How often a stem stands in a text: three times are as good as more. */
export const FREQUENCY_MAX = 3;

/** Stands in texts that have a stem at least so often, which is 2 or 3. */
export const frequentToken = (stem: string, least: number): string => stem + "+".repeat(least - 1);

export interface IndexedPost {
  id: number;
  channel_id: number;
  published_at: number;
  is_ad: number;
  views: number;
  /** With spaces between the kinds; null: not known. */
  media: string | null;
  text: string;
  /** The channel's search text (channels/search-text.ts), of which facets are taken. */
  channel_text: string;
}

/** The index's part of a text alone. */
export interface IndexedWords {
  tokens: string;
  /** How many words there are. */
  words: number;
  /** Each stem once. */
  stems: Iterable<string>;
}

export function indexWords(text: string): IndexedWords {
  const counts = new Map<string, number>();
  const marks = new Set<string>();
  let [tokens, words] = ["", 0];
  for (const token of tokensOf(text)) {
    if (token.kind !== "word") {
      marks.add(token.form);
      continue;
    }
    words += 1;
    tokens += `${token.stem} `;
    counts.set(token.stem, (counts.get(token.stem) ?? 0) + 1);
  }
  for (const [stem, count] of counts) {
    for (let least = 2; least <= Math.min(count, FREQUENCY_MAX); least += 1) {
      tokens += `${frequentToken(stem, least)} `;
    }
  }
  for (const mark of marks) tokens += `${mark} `;
  return { tokens, words, stems: counts.keys() };
}

/** The index's text of a post. */
export function indexText(post: IndexedPost, { tokens } = indexWords(post.text)): string {
  const facets = [channelToken(post.channel_id), levelToken(levelOf(post.views))];
  if (post.is_ad === 1) facets.push(AD_TOKEN);
  const kinds = new Set(post.media?.split(" ").filter((kind) => kind !== ""));
  facets.push(...[...kinds].map(mediaToken), ...new Set(channelFacets(post.channel_text)));
  return `${tokens} ${facets.join(" ")}`;
}

/** Facets of three characters each, on the last line of a channel's search text. */
function channelFacets(channelText: string): string[] {
  return channelText.slice(channelText.lastIndexOf("\n") + 1).match(/.../gs) ?? [];
}
