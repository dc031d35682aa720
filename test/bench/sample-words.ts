import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./peers/processes.ts";

/** All words of the sample's posts, repeated ones too, so that a draw is weighted by frequency. */
export function sampleWords(): string[] {
  const lines = readFileSync(join(ROOT, "data/sample/posts.ndjson"), "utf8").trim().split("\n");
  const texts = lines.map((line) => (JSON.parse(line) as { text?: string }).text ?? "");
  return texts.flatMap((text) => text.match(/[#@]?[\p{L}\p{N}]+[.,!?]?/gu) ?? []);
}

/** Some words, from the most frequent to rare ones. */
function wordsByRank(): string[] {
  const counts = new Map<string, number>();
  for (const word of sampleWords()) {
    const bare = word.toLowerCase().replace(/[^\p{L}]/gu, "");
    if (bare.length > 2) counts.set(bare, (counts.get(bare) ?? 0) + 1);
  }
  const ranked = [...counts].sort((one, other) => other[1] - one[1]).map(([word]) => word);
  return [0, 1, 3, 10, 30, 100, 300, 1000].flatMap((rank) => ranked[rank] ?? []);
}

export const words = wordsByRank();
const pairs = words.map((word, at) => [word, words[(at + 3) % words.length] ?? word] as const);

/** Queries by kind. */
export const kindsOfQuery: Record<string, readonly string[]> = {
  word: words,
  "two words": pairs.map((pair) => pair.join(" ")),
  phrase: pairs.map((pair) => `"${pair.join(" ")}"`),
  "word without another": pairs.map(([one, other]) => `${one} -${other}`),
  "either word": pairs.map((pair) => pair.join(" | ")),
  prefix: words.map((word) => `${word.slice(0, 3)}*`),
  "exact form": words.map((word) => `=${word}`),
};

/** Filters and orderings of searches. */
export const filtersOfSearch: Record<string, Record<string, string>> = {
  "no filter": {},
  channel: { channel: "7" },
  category: { category: "science" },
  territory: { territory: "tatarstan" },
  period: { from: "2026-03-01", to: "2026-03-07" },
  "ads with photo": { is_ad: "true", media: "photo" },
  "views from": { views_min: "10000" },
  "-views": { ordering: "-views" },
  "-relevance": { ordering: "-relevance" },
  "all filters": { category: "news", territory: "russia", is_ad: "false", views_min: "1500" },
};
