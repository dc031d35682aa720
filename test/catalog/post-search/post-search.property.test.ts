import { afterAll, beforeAll, expect, test } from "bun:test";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import fc from "fast-check";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectOk, idsOf, imported } from "../../support/expectations.ts";

/**
 * Checks post search against a plain scan that shares no code with it: texts consist of words, tags and
 * handles separated by spaces, and queries of parts whose meaning is implemented here independently.
 */

const WORDS = [
  "дом",
  "дома",
  "Ёлка",
  "елки",
  "новый",
  "новых",
  "Ипотека",
  "ипотечный",
  "company",
  "companies",
  "2024",
  "на",
];
const MARKS = ["#дом", "@nsmag", "#Ёлка"];
const HOUR_MS = 60 * 60 * 1000;
const NOW = Date.parse("2026-11-20T00:00:00+03:00");

interface Post {
  id: number;
  channel: number;
  text: string;
  views: number;
  is_ad: boolean;
  media: string | null;
  published_at: string;
}

const folded = (word: string): string => word.toLowerCase().replaceAll("ё", "е");
const stem = (word: string): string =>
  /[а-я]/.test(word) ? russianStem(word) : word.replace(/ies$/, "y");
const bare = (word: string): string => folded(word).replace(/^[#@]/, "");
const wordsIn = (text: string): string[] => text.split(" ").filter((word) => word !== "");
const stemsIn = (text: string): string[] => wordsIn(text).map((word) => stem(bare(word)));

type Part = { written: string; holds(text: string): boolean };

const anyWord = fc.constantFrom(...WORDS);
const wordPart = anyWord.map((word) => ({
  written: word,
  holds: (text: string) => stemsIn(text).includes(stem(folded(word))),
}));
const phrasePart = fc.array(anyWord, { minLength: 1, maxLength: 3 }).map((words) => ({
  written: `"${words.join(" ")}"`,
  holds: (text: string) =>
    ` ${stemsIn(text).join(" ")} `.includes(
      ` ${words.map((word) => stem(folded(word))).join(" ")} `,
    ),
}));
const exactPart = anyWord.map((word) => ({
  written: `=${word.toUpperCase()}`,
  holds: (text: string) => wordsIn(text).some((one) => bare(one) === folded(word)),
}));
const beginningPart = fc
  .constantFrom(
    "ипо",
    "нов",
    "комп",
    "comp",
    "елк",
    "ипотека",
    "новы",
    "дома",
    "companies",
    "компани",
    "compani",
    "ипотечн",
    "домо",
  )
  .map((beginning) => ({
    written: `${beginning}*`,
    holds: (text: string) => wordsIn(text).some((one) => bare(one).startsWith(beginning)),
  }));
const markPart = fc.constantFrom(...MARKS).map((mark) => ({
  written: mark.toUpperCase(),
  holds: (text: string) => wordsIn(text).some((one) => folded(one) === folded(mark)),
}));
const part: fc.Arbitrary<Part> = fc.oneof(wordPart, phrasePart, exactPart, beginningPart, markPart);
const query = fc
  .record({
    all: fc.array(fc.array(part, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    none: fc.array(part, { maxLength: 2 }),
  })
  .map(({ all, none }) => ({
    q: [
      ...all.map((some) => some.map(({ written }) => written).join(" | ")),
      ...none.map(({ written }) => `-${written}`),
    ].join(" "),
    holds: (text: string) =>
      all.every((some) => some.some((one) => one.holds(text))) &&
      !none.some((one) => one.holds(text)),
  }));

const CHANNELS = [
  channel(1, { category: "science", territory: "kazan" }),
  channel(2, { category: "news", territory: "moskva" }),
  channel(3, { is_public: false }),
];
const filters = fc.record(
  {
    channel: fc.constantFrom(1, 2),
    category: fc.constantFrom("science", "news"),
    territory: fc.constantFrom("tatarstan", "russia"),
    from: fc.constantFrom("2026-11-18", "2026-11-19"),
    to: fc.constantFrom("2026-11-18", "2026-11-19"),
    is_ad: fc.boolean(),
    media: fc.constantFrom("photo", "video"),
    views_min: fc.constantFrom(0, 1, 50, 100, 101, 1000),
  },
  { requiredKeys: [] },
);
type Filters = Partial<{
  channel: number;
  category: string;
  territory: string;
  from: string;
  to: string;
  is_ad: boolean;
  media: string;
  views_min: number;
}>;

const CATEGORIES: Record<string, number> = { science: 1, news: 2 };
const TERRITORIES: Record<string, number[]> = { tatarstan: [1], russia: [1, 2] };

function passes(post: Post, of: Filters): boolean {
  const day = post.published_at.slice(0, 10);
  return (
    post.channel !== 3 &&
    (of.channel === undefined || post.channel === of.channel) &&
    (of.category === undefined || post.channel === CATEGORIES[of.category]) &&
    (of.territory === undefined || TERRITORIES[of.territory]?.includes(post.channel) === true) &&
    (of.from === undefined || day >= of.from) &&
    (of.to === undefined || day <= of.to) &&
    (of.is_ad === undefined || post.is_ad === of.is_ad) &&
    (of.media === undefined || post.media?.split(" ").includes(of.media) === true) &&
    (of.views_min === undefined || post.views >= of.views_min)
  );
}

const moscow = (instantMs: number): string =>
  `${new Date(instantMs + 3 * HOUR_MS).toISOString().slice(0, 19)}+03:00`;
const content = fc.record({
  channel: fc.constantFrom(1, 2, 3),
  text: fc
    .array(fc.constantFrom(...WORDS, ...MARKS), { maxLength: 8 })
    .map((words) => words.join(" ")),
  views: fc.constantFrom(0, 1, 5, 99, 100, 101, 999, 1000, 2_000_000),
  is_ad: fc.boolean(),
  media: fc.constantFrom(null, "photo", "video", "photo video"),
  // Spread over days, or crowded into a minute with too few row numbers for them.
  published_at: fc
    .oneof(fc.nat({ max: 200 }), fc.nat({ max: 1 }))
    .map((ago) => moscow(NOW - ago * 15 * 60 * 1000)),
});

let appliance: Appliance;
const stored = new Map<number, Post>();
beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", CHANNELS);
});
afterAll(() => appliance.close());

/** Overwrites posts and takes some down, as an import and staff do. */
async function write(
  posts: readonly Omit<Post, "id">[],
  removed: readonly number[],
): Promise<void> {
  const rows = posts.map((post, at) => ({ ...post, id: at + 1 }));
  await imported(
    appliance,
    "posts",
    rows.map((row) => ({ ...row, deleted: false })),
  );
  for (const row of rows) stored.set(row.id, row);
  await appliance.app.domains.posts.delete(removed, COMMAND_LINE);
  for (const id of removed) stored.delete(id);
}

const newestFirst = (one: Post, other: Post): number =>
  Date.parse(other.published_at) - Date.parse(one.published_at) || other.id - one.id;

test("the search finds what a plain scan finds, in the same order, page by page", async () => {
  const change = fc.tuple(
    fc.array(content, { minLength: 1, maxLength: 60 }),
    fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 5 }),
    fc.array(fc.tuple(query, filters, fc.integer({ min: 1, max: 20 })), {
      minLength: 5,
      maxLength: 15,
    }),
  );
  await asTimeAllows(
    fc.asyncProperty(change, async ([posts, removed, searches]) => {
      await write(posts, removed);
      for (const [{ q, holds }, filter, limit] of searches) {
        if ([...q].length > 200 || (filter.from ?? "") > (filter.to ?? "9")) continue;
        const expected = [...stored.values()]
          .filter((post) => passes(post, filter) && holds(post.text))
          .sort(newestFirst);
        const path = (more: object): string =>
          `/v1/msgr/posts/search/?${new URLSearchParams({ q, ...texts(filter), ...texts(more) })}`;
        const ids = (of: Post[]): number[] => of.map(({ id }) => id);
        for (const ordering of ["-published_at", "published_at"]) {
          const all = ids(ordering === "published_at" ? expected.toReversed() : expected);
          const { body } = await expectOk(appliance, path({ limit, ordering }));
          expect(idsOf({ body } as never), path({ ordering })).toEqual(all.slice(0, limit));
          expect(body.matches).toBe(all.length);
          if (body.next === null) continue;
          const { pathname, search } = new URL(body.next);
          const next = await expectOk(appliance, pathname + search);
          expect(idsOf(next)).toEqual(all.slice(limit, 2 * limit));
        }
        const viewed = expected.toSorted(
          (one, other) => other.views - one.views || newestFirst(one, other),
        );
        const byViews = await expectOk(appliance, path({ limit: 100, ordering: "-views" }));
        expect(idsOf(byViews)).toEqual(ids(viewed));
        const ranked = await expectOk(appliance, path({ limit: 100, ordering: "-relevance" }));
        expect(idsOf(ranked).toSorted()).toEqual(ids(expected).toSorted());
      }
    }),
    5,
  );
});

function texts(values: object): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

const hostilePiece = fc.constantFrom(
  ...[
    '"',
    "-",
    "|",
    "*",
    "=",
    "#",
    "@",
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "{tokens}:",
    "^",
    "+",
    "/c1",
    "'",
    "\\",
    "дом",
    "\u0000",
    "\ud800",
    "%",
    ";",
    "--",
  ],
);
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 220 }),
  fc.array(hostilePiece, { maxLength: 80 }).map((some) => some.join("")),
  fc.array(hostilePiece, { maxLength: 80 }).map((some) => some.join(" ")),
);

test("no query causes a server error, or an answer beyond its limits", async () => {
  await write(
    [
      {
        channel: 1,
        text: "дом ".repeat(300),
        views: 1,
        is_ad: false,
        media: null,
        published_at: moscow(NOW),
      },
    ],
    [],
  );
  await asTimeAllows(
    fc.asyncProperty(
      hostile,
      fc.constantFrom("-published_at", "published_at", "-views", "-relevance"),
      async (q, ordering) => {
        const path = `/v1/msgr/posts/search/?${new URLSearchParams({ q: q.toWellFormed(), ordering, limit: "5" })}`;
        const { status, body } = await appliance.get(path);
        expect([200, 400], path).toContain(status);
        if (status === 400) {
          expect(Object.keys(body)).toEqual(["q"]);
          return;
        }
        expect(body.results.length).toBeLessThanOrEqual(5);
        for (const { snippet, highlights } of body.results) {
          const { length } = [...snippet];
          expect(length).toBeLessThanOrEqual(200);
          for (const [from, to] of highlights) {
            expect(from).toBeLessThan(to);
            expect(to).toBeLessThanOrEqual(length);
          }
        }
      },
    ),
    200,
  );
});
