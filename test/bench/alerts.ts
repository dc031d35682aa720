/**
 * Processor time of matching a post with 10,000 alerts, by kind of query: `bun test/bench/alerts.ts [alerts]`.
 * Posts are the sample's, and the words of alerts are drawn from them; the rows after the first are the worst
 * cases that owners of alerts can construct. Also the cost of changing one alert, and of building the index at
 * a start.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tokensOf } from "../../src/catalog/post-search/tokens.ts";
import { createAlertIndex } from "../../src/push/webhooks/alerts/alert-index.ts";
import { seededRandom } from "./peers/data/random.ts";
import { ROOT } from "./peers/processes.ts";

/** Seed of the drawn words. */
const PURPOSE = 60;
const POST_MAX_MS = 1;
const QUERY_LENGTH_MAX = 200;
const ROUNDS = 3;
/** Rounds before measuring, until Bun has compiled the code; otherwise rows would include the compiler. */
const WARM_ROUNDS = 4;
const POSTS_MAX = 300;
const CHANGES = 200;
const FACTS = { channelId: 1, isAd: false, categories: [], territories: [] };
const ANY = { channelId: null, category: null, territory: null, isAd: null };

const count = Number(process.argv[2] ?? 10_000);
const { next: draw } = seededRandom(PURPOSE);
const texts = readFileSync(join(ROOT, "data/sample/posts.ndjson"), "utf8")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { text?: string }).text ?? "")
  .filter((text) => text !== "")
  .slice(0, POSTS_MAX);
/** All words of the posts, repeated ones too, so that a draw is weighted by frequency. */
const words = texts.flatMap((text) => text.match(/\p{L}{2,}/gu) ?? []);
/** Different words, most frequent first. */
const ranked = rank(words);
const any = (): string => words[Math.floor(draw() * words.length)] ?? "";
const frequent = (most: number): string => ranked[Math.floor(draw() * most)] ?? "";
const rare = (): string => ranked[Math.floor(draw() * ranked.length)] ?? "";
/** Joins as many terms as fit into `q`. */
const full = (one: () => string, between: string): string => {
  let q = one();
  for (
    let next = one();
    q.length + between.length + next.length <= QUERY_LENGTH_MAX;
    next = one()
  ) {
    q += between + next;
  }
  return q;
};

const kinds: Record<string, () => string> = {
  "one to three words": () => Array.from({ length: 1 + Math.floor(draw() * 3) }, rare).join(" "),
  "three prefixes of three letters": () =>
    Array.from({ length: 3 }, () => `${any().slice(0, 3)}*`).join(" | "),
  "200 characters of prefixes": () => full(() => `${any().slice(0, 3)}*`, " | "),
  "two frequent words": () => `${frequent(50)} ${frequent(50)}`,
  "200 characters of frequent words": () => full(() => frequent(100), " "),
  "a frequent word, excluding 200 characters of words": () =>
    `${frequent(10)} ${full(() => `-${frequent(500)}`, " ").slice(0, 180)}`,
  "two lists of alternatives, 200 characters": () =>
    `${full(() => frequent(100), " | ").slice(0, 98)} ${full(() => frequent(100), " | ").slice(0, 98)}`,
  "phrases of frequent words": () => `"${frequent(30)} ${frequent(30)} ${frequent(30)}"`,
  "exact forms of frequent words": () => `=${frequent(100)} =${frequent(100)} =${any()}`,
  "the same two words, all": () => "на в",
};

for (const [name, query] of Object.entries(kinds)) {
  const index = createAlertIndex();
  const queries = Array.from({ length: count }, query);
  const madeUs = took(() => {
    for (const [at, q] of queries.entries()) index.put(at, { ...ANY, q });
  });
  const match = (): number =>
    texts.reduce((sum, text) => sum + index.alertsOf(tokensOf(text), FACTS).length, 0);
  for (let round = 0; round < WARM_ROUNDS; round++) match();
  let matches = 0;
  const postUs =
    took(() => {
      for (let round = 0; round < ROUNDS; round++) matches = match();
    }) /
    (ROUNDS * texts.length);
  const changeUs =
    took(() => {
      for (let at = 0; at < CHANGES; at++) index.put(at, { ...ANY, q: query() });
    }) / CHANGES;
  console.log(
    `${name.padEnd(50)} ${(postUs / 1000).toFixed(3)} ms a post` +
      ` (${(matches / texts.length).toFixed(1)} match), ${changeUs.toFixed(0)} us a change,` +
      ` ${(madeUs / 1000).toFixed(0)} ms for all  ${postUs / 1000 < POST_MAX_MS ? "met" : "NOT MET"}`,
  );
}

/** @returns microseconds of processor time */
function took(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function rank(all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of all) {
    const folded = word.toLowerCase();
    counts.set(folded, (counts.get(folded) ?? 0) + 1);
  }
  return [...counts.keys()].toSorted(
    (one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0),
  );
}
