import { expect, test } from "bun:test";
import fc from "fast-check";
import { isMatch } from "../../../src/catalog/post-search/finding/match-tokens.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import {
  type AlertIndex,
  createAlertIndex,
} from "../../../src/push/webhooks/alerts/alert-index.ts";

const ANY = { channelId: null, category: null, territory: null, isAd: null };
const FACTS = { channelId: 1, isAd: false, categories: [], territories: [] };

function indexOf(queries: readonly string[]): AlertIndex {
  const index = createAlertIndex();
  for (const [at, q] of queries.entries()) index.put(at + 1, { ...ANY, q });
  return index;
}

/** Numbers of the alerts that a post with this text matches, ascending. */
function found(index: AlertIndex, text: string): number[] {
  return index.alertsOf(tokensOf(text), FACTS).toSorted((one, other) => one - other);
}

function foundOneByOne(queries: ReadonlyMap<number, string>, text: string): number[] {
  const tokens = tokensOf(text);
  return [...queries].flatMap(([id, q]) => {
    const read = readPostQuery(q);
    return read !== null && isMatch(read, tokens) ? [id] : [];
  });
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

test("a prefix matches words that begin with it, not other words of the same stem", () => {
  const index = indexOf(["даниил*", "данные*", "новости*"]);
  expect(found(index, "Даниил и данные")).toEqual([1, 2]);
  expect(found(index, "дана новость")).toEqual([]);
  expect(found(index, "о новостях, новостей и новостями")).toEqual([]);
  expect(found(index, "новости")).toEqual([3]);
  expect(found(indexOf(["принимат*", "ушей*", "runn*"]), "принимать уши, running")).toEqual([1, 3]);
  const english = indexOf(["compan*", "compani*"]);
  expect(found(english, "a company")).toEqual([1]);
  expect(found(english, "a company and companies")).toEqual([1, 2]);
});

test("a word, its prefix, its exact form, its tag and its handle are told apart", () => {
  const index = indexOf(["банк", "банк*", "=банк", "#банк", "@банк"]);
  expect(found(index, "банковский")).toEqual([2]);
  expect(found(index, "банки")).toEqual([1, 2]);
  expect(found(index, "#банк")).toEqual([1, 2, 3, 4]);
});

test("the index finds what testing each alert finds, whatever is added, changed and removed", () => {
  const change = fc.record({ id: fc.integer({ min: 1, max: 12 }), q: fc.option(query) });
  fc.assert(
    fc.property(
      fc.array(query, { minLength: 1, maxLength: 12 }),
      fc.array(change, { maxLength: 12 }),
      fc.array(text, { minLength: 1, maxLength: 5 }),
      (queries, changes, texts) => {
        const index = indexOf(queries);
        const current = new Map(queries.map((q, at) => [at + 1, q]));
        for (const { id, q } of changes) {
          if (q === null) index.remove(id);
          else index.put(id, { ...ANY, q });
          current.delete(id);
          if (q !== null) current.set(id, q);
        }
        for (const one of texts) {
          const wanted = foundOneByOne(current, one).toSorted((a, b) => a - b);
          expect(found(index, one)).toEqual(wanted);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("10,000 alerts on the same frequent words are told apart", () => {
  const queries = Array.from({ length: 10_000 }, (_, at) =>
    at % 2 === 0 ? `новости -слово${at % 100}` : `(новости) "слово${at % 100} банк*" | дач*`,
  );
  const index = indexOf(queries);
  const current = new Map(queries.map((q, at) => [at + 1, q]));
  for (const removed of [1, 64, 5_000, 10_000]) {
    index.remove(removed);
    current.delete(removed);
  }
  for (const one of [
    "Новости: слово2",
    "новости слово3 банк",
    "Новости дачников",
    "дача",
    "ничего",
  ]) {
    expect(found(index, one)).toEqual(foundOneByOne(current, one));
  }
  expect(index.size).toBe(9_996);
});

test("a text of one repeated word matches phrases of it", () => {
  const index = indexOf(Array.from({ length: 20 }, (_, at) => `"${"да ".repeat(at + 1)}"`));
  expect(found(index, "да ".repeat(7))).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("a post must satisfy all filters of an alert, those on its channel and those on itself", () => {
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
    const index = createAlertIndex();
    index.put(1, { q: "слово", ...ANY, ...filters });
    expect(index.alertsOf(tokensOf("Слово"), facts), JSON.stringify(filters)).toEqual(
      isWanted ? [1] : [],
    );
  }
});
