import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isMatch } from "../../../src/catalog/post-search/match-tokens.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import {
  type AlertIndex,
  alertsOf,
  buildIndex,
  type KeyCounts,
  keysOf,
} from "../../../src/push/webhooks/alerts/alert-index.ts";

const ANY = { channelId: null, category: null, territory: null, isAd: null };
const FACTS = { channelId: 1, isAd: false, categories: [], territories: [] };

function indexOf(queries: readonly string[], counts: KeyCounts = new Map()): AlertIndex {
  const alerts = queries.map((q, at) => ({ id: at + 1, q, ...ANY }));
  return buildIndex(1, alerts, counts, null);
}

function countsOf(texts: readonly string[]): KeyCounts {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const key of keysOf(tokensOf(text))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const word = fc.constantFrom(
  ...["ипотека", "ипотеки", "ставка", "ставку", "банк", "новости", "новость", "в", "на", "ёлка"],
  ...[
    "rates",
    "rate",
    "running",
    "#банк",
    "@bank",
    "банк_новости",
    "ипо",
    "2024",
    "🚀",
    "з\u0301амок",
  ],
);
const piece = fc.oneof(
  word,
  word.map((text) => `-${text}`),
  word.map((text) => `=${text}`),
  word.map((text) => `${text}*`),
  fc.array(word, { maxLength: 3 }).map((words) => `"${words.join(" ")}"`),
  fc.constantFrom("|", '"', "-", "*", "OR", "NEAR(", ")", "'; --", "\u0000", "\ud800"),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const query = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(" "));
const text = fc.array(fc.oneof(word, piece), { maxLength: 30 }).map((words) => words.join(" "));

test("alerts by their rarest words are those that a look at each of them finds, whatever is asked", () => {
  fc.assert(
    fc.property(
      fc.array(query, { minLength: 1, maxLength: 20 }),
      fc.array(text, { minLength: 1, maxLength: 5 }),
      (queries, texts) => {
        const index = indexOf(queries, countsOf(texts));
        for (const one of texts) {
          const tokens = tokensOf(one);
          const wanted = queries.flatMap((q, at) => {
            const read = readPostQuery(q);
            return read !== null && isMatch(read, tokens) ? [at + 1] : [];
          });
          const { ids } = alertsOf(index, tokens, FACTS);
          expect(ids.toSorted((a, b) => a - b)).toEqual(wanted);
        }
      },
    ),
    { numRuns: 500 },
  );
});

describe("of 10,000 alerts", () => {
  const queries = Array.from({ length: 10_000 }, (_, at) => `новости банка слово${at % 5_000}`);
  const sample = Array.from({ length: 50 }, () => "новости банка сегодня");
  const index = indexOf(queries, countsOf(sample));

  test("a post has those looked at that share their rarest word with it, and no others", () => {
    const post = tokensOf("Новости банка: слово7 и слово8, банк открыл офис");
    const { ids, lookedAt } = alertsOf(index, post, FACTS);
    expect(ids.toSorted((a, b) => a - b)).toEqual([8, 9, 5_008, 5_009]);
    expect(lookedAt).toBe(4);
    expect(alertsOf(index, tokensOf("Новости банка"), FACTS).lookedAt).toBe(0);
  });

  test("a change of one has the others' queries not read again", () => {
    const alerts = [{ id: 1, q: "новости банка слово1", ...ANY }];
    const next = buildIndex(2, alerts, new Map(), index);
    expect(next.queries.get("новости банка слово1")).toBe(
      index.queries.get("новости банка слово1") as never,
    );
  });
});

test("filters are of the channel and the post: all that are given have to hold", () => {
  const facts = {
    ...{ channelId: 7, isAd: true },
    ...{ categories: ["science", "economics"], territories: ["russia", "moskva"] },
  };
  for (const [filters, isWanted] of [
    [{}, true],
    [{ channelId: 7, isAd: true, category: "economics", territory: "russia" }, true],
    [{ channelId: 8 }, false],
    [{ isAd: false }, false],
    [{ category: "news" }, false],
    [{ territory: "kazan" }, false],
    [{ category: "science", territory: "kazan" }, false],
  ] as const) {
    const index = buildIndex(1, [{ id: 1, q: "слово", ...ANY, ...filters }], new Map(), null);
    const { ids } = alertsOf(index, tokensOf("Слово"), facts);
    expect(ids, JSON.stringify(filters)).toEqual(isWanted ? [1] : []);
  }
});
