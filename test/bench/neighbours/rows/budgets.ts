import { get } from "../requests.ts";
import type { Row } from "../row.ts";
import { importFresh, wordAt } from "./posts.ts";

/** Requests of the neighbour per second: within Profi's rate, far beyond its time. */
const RATE = 25;
const CONNECTIONS = 50;
const POSTS = 20_000;
const WORDS = 20;
const SEARCHES = 120;
const VICTIM_PER_SECOND = 20;

const search = (query: Record<string, string>, key: string, path = "/v1/msgr/posts/search/") =>
  get(`${path}?${new URLSearchParams(query)}`, key);

/** Words of at most this many letters, of which twenty make a query of valid length. */
const LETTERS_MAX = 6;

function wordsFrom(at: number, count: number): string[] {
  const words: string[] = [];
  for (let place = at * WORDS; words.length < count; place++) {
    const word = wordAt(place);
    if (word.length <= LETTERS_MAX) words.push(word);
  }
  return words;
}

/** The dearest queries of one customer beside another customer who searches. */
export const budgetRows: Row[] = [
  {
    name: "dear-search-budget",
    does: "searches posts 25 times a second for two beginnings by relevance, for twenty words by OR, and exports by such a query",
    async victim({ data: { strings, victims } }) {
      const requests = Array.from({ length: SEARCHES }, (_, at) => {
        const { key } = victims[Math.floor(at / 2) % victims.length] ?? { key: "" };
        return at % 2 === 0
          ? search({ q: strings[at % strings.length] ?? "" }, key, "/v1/msgr/channels/")
          : search({ q: wordAt(at) }, key);
      });
      return { requests, perSecond: VICTIM_PER_SECOND, status: 200 };
    },
    async prepare(stage) {
      await importFresh(stage, 0, POSTS);
    },
    async beside(stage, seconds) {
      const { key } = stage.data.neighbour;
      const requests = Array.from({ length: SEARCHES }, (_, at) => {
        const any = wordsFrom(at, WORDS).join(" | ");
        if (at % 12 === 11) return search({ q: any }, key, "/v1/msgr/export/posts/");
        if (at % 2 === 1) return search({ q: any, ordering: "-views" }, key);
        const beginnings = wordsFrom(at, 2).map((word) => `${word.slice(0, 3)}*`);
        return search({ q: beginnings.join(" "), ordering: "-relevance" }, key);
      });
      const load = {
        kind: "requests",
        requests,
        connections: CONNECTIONS,
        perSecond: RATE,
      } as const;
      const outcomes = await stage.load(load, seconds);
      const answers = Object.entries(outcomes).map(([outcome, times]) => `${outcome} x ${times}`);
      const late = outcomes["503"] ?? 0;
      return {
        notes: [`its answers: ${answers.join(", ")}`],
        broken: late === 0 ? [] : [`${late} of the neighbour's answers are 503 instead of 429`],
      };
    },
  },
];
