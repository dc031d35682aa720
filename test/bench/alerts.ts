/**
 * What matching costs a post at 10,000 keyword alerts, by processor time: `bun test/bench/alerts.ts [alerts]`. Alerts
 * and posts are of the sample's words: each alert asks for two of them, drawn by their frequency, as people do.
 */
import { readFileSync } from "node:fs";
import { tokensOf } from "../../src/catalog/post-search/tokens.ts";
import { alertsOf, buildIndex, keysOf } from "../../src/push/webhooks/alerts/alert-index.ts";
import { seededRandom } from "../support/webhook-journey.ts";

const alerts = Number(process.argv[2] ?? 10_000);
const SAMPLE_POSTS = 300;
const ROUNDS = 20;
const FACTS = { channelId: 1, isAd: false, categories: [], territories: [] };
const ANY = { channelId: null, category: null, territory: null, isAd: null };

const file = new URL("../../data/sample/posts.ndjson", import.meta.url).pathname;
const texts = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line): string => JSON.parse(line).text);
const words = texts.flatMap((text) => text.match(/[а-яёa-z]{4,}/gi) ?? []);
const chance = seededRandom(23);
const word = (): string => words[Math.floor(chance() * words.length)] ?? "";
const asked = Array.from({ length: alerts }, (_, at) => ({
  ...{ id: at + 1, q: `${word()} ${word()}`, ...ANY },
}));

const counts = new Map<string, number>();
for (const text of texts.slice(-SAMPLE_POSTS)) {
  for (const key of keysOf(tokensOf(text))) counts.set(key, (counts.get(key) ?? 0) + 1);
}
const index = buildIndex(1, asked, counts, null);
let [matches, lookedAt] = [0, 0];
const startedUs = processorUs();
for (let round = 0; round < ROUNDS; round++) {
  for (const text of texts) {
    const found = alertsOf(index, tokensOf(text), FACTS);
    matches += found.ids.length;
    lookedAt += found.lookedAt;
  }
}
const posts = ROUNDS * texts.length;
const perPost = (of: number): string => (of / posts).toFixed(2);
console.log(
  `${alerts} alerts: ${perPost((processorUs() - startedUs) / 1000)} ms a post, with the reading of its words; ` +
    `${perPost(lookedAt)} looked at, ${perPost(matches)} match`,
);

function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
