import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { selectOverTime } from "../../../src/catalog/post-search/finding/over-time.store.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { message } from "../../../src/values/messages/messages.ts";
import { parseDay, startOfDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectFaults, expectOk, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";

/**
 * Compares words over time with a plain scan written here: texts are invented words separated by spaces, none
 * of which is a form of another.
 */

const PATH = "/v1/msgr/posts/search/stats/";
const WORDS = ["блорк", "блорфа", "зумпл", "7х7", "кварг", "это"];
const CHANNELS = [
  channel(1, { handle: "one", category: "science", territory: "kazan" }),
  channel(2, { category: "news", territory: "moskva" }),
  channel(3, { is_public: false }),
  ...Array.from({ length: 30 }, (_, at) => channel(4 + at, { subscribers: at })),
];
const PLACES: Record<string, (of: number) => boolean> = {
  science: (of) => of === 1,
  news: (of) => of === 2,
  tatarstan: (of) => of === 1,
  russia: (of) => of === 1 || of === 2,
};
const DAY_MS = 86_400_000;
const MOSCOW_MS = 3 * 3_600_000;
/** Midnight in Moscow, in the middle of months that the posts are spread over. */
const MIDDLE = Date.parse("2026-09-30T21:00:00Z");

interface Post {
  id: number;
  channel: number;
  text: string;
  views: number | null;
  is_ad: boolean;
  media: string | null;
  at: number;
}

const postsOf = (length: number): fc.Arbitrary<Post[]> =>
  fc
    .array(
      fc.record({
        channel: fc.integer({ min: 1, max: CHANNELS.length }),
        text: fc
          .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
          .map((words) => words.join(" ")),
        views: fc.constantFrom(null, null, 0, 1, 99, 100, 1500, 2_000_000),
        is_ad: fc.boolean(),
        media: fc.constantFrom(null, "photo", "photo video"),
        // Over four months, or around a midnight that also begins a month.
        at: fc.oneof(
          fc.integer({ min: -50 * 24 * 60, max: 50 * 24 * 60 }),
          fc.integer({ min: -2, max: 2 }),
        ),
      }),
      { minLength: length, maxLength: length },
    )
    .map((posts) =>
      posts.map((post, index) => ({ ...post, id: index + 1, at: MIDDLE + post.at * 60_000 })),
    );

interface Asked {
  q: string;
  holds(words: string[]): boolean;
}

const word = fc.constantFrom(...WORDS);
const asked: fc.Arbitrary<Asked> = fc.oneof(
  word.map((one): Asked => ({ q: one, holds: (words) => words.includes(one) })),
  word.map((one): Asked => ({ q: `=${one}`, holds: (words) => words.includes(one) })),
  fc.tuple(word, word).map(
    ([one, other]): Asked => ({
      q: `${one} ${other}`,
      holds: (words) => words.includes(one) && words.includes(other),
    }),
  ),
  fc.tuple(word, word).map(
    ([one, other]): Asked => ({
      q: `${one} | ${other}`,
      holds: (words) => words.includes(one) || words.includes(other),
    }),
  ),
  fc.tuple(word, word).map(
    ([one, other]): Asked => ({
      q: `${one} -${other}`,
      holds: (words) => words.includes(one) && !words.includes(other),
    }),
  ),
  fc.tuple(word, word).map(
    ([one, other]): Asked => ({
      q: `"${one} ${other}"`,
      holds: (words) => words.some((_, at) => words[at] === one && words[at + 1] === other),
    }),
  ),
  fc.constantFrom("бло", "блорк", "квар").map(
    (start): Asked => ({
      q: `${start}*`,
      holds: (words) => words.some((one) => one.startsWith(start)),
    }),
  ),
);

type Filter = Partial<{
  channel: number;
  category: string;
  territory: string;
  is_ad: boolean;
  media: string;
  views_min: number;
}>;
const filters: fc.Arbitrary<Filter> = fc.record(
  {
    channel: fc.constantFrom(1, 2),
    category: fc.constantFrom("science", "news"),
    territory: fc.constantFrom("tatarstan", "russia"),
    is_ad: fc.boolean(),
    media: fc.constantFrom("photo", "video"),
    views_min: fc.constantFrom(0, 1, 100, 777),
  },
  { requiredKeys: [] },
);

const day = (at: number): string => new Date(at + MOSCOW_MS).toISOString().slice(0, 10);
const after = (of: string, days: number): string =>
  new Date(Date.parse(of) + days * DAY_MS).toISOString().slice(0, 10);

function firstOf(of: string, group: string): string {
  if (group === "month") return `${of.slice(0, 8)}01`;
  if (group === "day") return of;
  let monday = of;
  while (new Date(monday).getUTCDay() !== 1) monday = after(monday, -1);
  return monday;
}

function figures(posts: readonly Post[]) {
  const known = posts.flatMap(({ views }) => views ?? []);
  return {
    posts: posts.length,
    views: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0),
    channels: new Set(posts.map((post) => post.channel)).size,
  };
}

function expected(
  posts: readonly Post[],
  { holds }: Asked,
  filter: Filter,
  { from, to, group }: { from: string; to: string; group: string },
) {
  const matches = posts.filter(
    (post) =>
      holds(post.text.split(" ")) &&
      post.channel !== 3 &&
      day(post.at) >= from &&
      day(post.at) <= to &&
      (filter.channel === undefined || post.channel === filter.channel) &&
      (filter.category === undefined || PLACES[filter.category]?.(post.channel)) &&
      (filter.territory === undefined || PLACES[filter.territory]?.(post.channel)) &&
      (filter.is_ad === undefined || post.is_ad === filter.is_ad) &&
      (filter.media === undefined || post.media?.split(" ").includes(filter.media)) &&
      (filter.views_min === undefined || (post.views ?? 0) >= filter.views_min),
  );
  const periodOf = (of: string): string => {
    const first = firstOf(of, group);
    return first < from ? from : first;
  };
  const periods = new Set<string>();
  for (let one = from; one <= to; one = after(one, 1)) periods.add(periodOf(one));
  const top = [...Map.groupBy(matches, (post) => post.channel)].map(([id, own]) => {
    const { posts: count, views } = figures(own);
    const last = Math.max(...own.map(({ at }) => at));
    return {
      id,
      posts: count,
      views,
      last: `${new Date(last + MOSCOW_MS).toISOString().slice(0, 19)}+03:00`,
    };
  });
  top.sort(
    (one, other) =>
      other.posts - one.posts || (other.views ?? 0) - (one.views ?? 0) || one.id - other.id,
  );
  return {
    ...figures(matches),
    sampled: 1,
    periods: [...periods].map((first) => ({
      from: first,
      ...figures(matches.filter(({ at }) => periodOf(day(at)) === first)),
    })),
    top: top.slice(0, 20),
    note: null,
  };
}

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance({}, fakePorts("2026-11-20T12:00:00+03:00"));
  await imported(appliance, "channels", CHANNELS);
});
afterAll(() => appliance.close());

/** The highest number that a post has had. */
let highest = 0;

/** Replaces all posts. An import of a post that is known would keep the views that were read. */
async function write(posts: readonly Post[]): Promise<void> {
  const gone = Array.from({ length: highest }, (_, at) => at + 1);
  await appliance.app.domains.posts.delete(gone, COMMAND_LINE);
  const rows = posts.map(({ id, at, ...post }) => ({
    ...post,
    id: highest + id,
    published_at: new Date(at).toISOString(),
    views_at: post.views === null ? null : new Date(at).toISOString(),
  }));
  await imported(appliance, "posts", rows);
  highest += posts.length;
}

const pathOf = (parameters: object): string => {
  const given = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  return `${PATH}?${new URLSearchParams(Object.fromEntries(given))}`;
};

test("posts, views and channels by period, and the top channels, are those of a plain scan", async () => {
  const periods = fc.record({
    from: fc.integer({ min: -60, max: 40 }).map((days) => after("2026-10-01", days)),
    days: fc.oneof(fc.constant(366), fc.integer({ min: 1, max: 100 })),
    group: fc.constantFrom("day", "week", "month"),
  });
  const run = fc.tuple(
    fc.noShrink(postsOf(200)),
    fc.array(fc.tuple(asked, filters, periods), { minLength: 5, maxLength: 15 }),
  );
  await asTimeAllows(
    fc.asyncProperty(run, async ([posts, questions]) => {
      await write(posts);
      for (const [question, filter, { from, days, group }] of questions) {
        const to = after(from, days - 1);
        const path = pathOf({ q: question.q, ...filter, from, to, group });
        const { body } = await expectOk(appliance, path);
        const { top_channels, ...rest } = body;
        const top = top_channels.map(
          // biome-ignore lint/suspicious/noExplicitAny: as the API answers
          ({ channel, last_published_at, posts, views }: any) => ({
            ...{ id: channel.id, posts, views, last: last_published_at },
          }),
        );
        expect({ ...rest, top }, path).toEqual(
          expected(posts, question, filter, { from, to, group }),
        );
      }
    }),
    5,
  );
}, 120_000);

describe("of more matches than are looked up", () => {
  const none = {
    channelId: null,
    categoryId: null,
    territoryId: null,
    fromMs: null,
    untilMs: null,
  };
  const filter = { ...none, isAd: null, media: null, viewsMin: null };
  const selection = {
    query: readPostQuery("это") ?? { all: [], none: [] },
    filter,
    group: "month" as const,
    from: parseDay("2026-08-01") ?? 0,
    to: parseDay("2026-11-20") ?? 0,
  };

  test("posts are exact, so are the top channels, and every n-th match tells the rest", async () => {
    const posts = fc.sample(postsOf(3000), { numRuns: 1, seed: 47 })[0] ?? [];
    for (const post of posts) {
      post.text = "это";
      post.views = 1000 + (post.id % 7);
    }
    await write(posts);
    const { db } = appliance.app.domains;
    const exact = selectOverTime(db, selection);
    const sample = selectOverTime(db, selection, { lookedUp: 1000, read: 1e9 });
    expect([exact.sampled, sample.sampled]).toEqual([1, 4]);
    expect(sample.posts).toBe(exact.posts);
    expect(sample.periods.map((one) => one.posts)).toEqual(exact.periods.map((one) => one.posts));
    expect(sample.top_channels).toEqual(exact.top_channels);
    expect(exact.channels).toBe(CHANNELS.length - 1);
    expect(sample.channels).toBe(exact.channels);
    expect(Math.abs((sample.views ?? 0) / (exact.views ?? 1) - 1)).toBeLessThan(0.01);
    // Of fewer posts, the channels are not known.
    const fewer = selectOverTime(db, { ...selection, group: "day" }, { lookedUp: 500, read: 1e9 });
    expect([fewer.sampled, fewer.channels]).toEqual([8, null]);
    expect(fewer.top_channels).toEqual(exact.top_channels);
    for (const { posts, channels } of fewer.periods) expect(channels).toBe(posts === 0 ? 0 : null);
  });

  test("of more than can be read, months before are read in slices of each day, and the note says so", async () => {
    const { db } = appliance.app.domains;
    const posts = fc.sample(postsOf(3000), { numRuns: 1, seed: 47 })[0] ?? [];
    for (const post of posts) {
      Object.assign(post, { text: "это", views: 1000 + (post.id % 7) });
      post.at = MIDDLE + (((post.id * 37_003) % 144_000) - 72_000) * 60_000;
    }
    await write(posts);
    const exact = selectOverTime(db, selection);
    const sliced = selectOverTime(db, selection, { lookedUp: 500, read: 1500 });
    expect(sliced.note).toEqual(message("postsSliced", { before: "2026-11-01" }));
    expect(exact.periods.length).toBe(4);
    expect(sliced.periods.at(-1)?.posts).toBe(exact.periods.at(-1)?.posts ?? -1);
    for (const [at, { posts }] of exact.periods.entries()) {
      expect(Math.abs((sliced.periods[at]?.posts ?? 0) / posts - 1), String(at)).toBeLessThan(0.3);
    }
    expect(Math.abs(sliced.posts / exact.posts - 1)).toBeLessThan(0.1);
    expect(Math.abs((sliced.views ?? 0) / (exact.views ?? 1) - 1)).toBeLessThan(0.1);
    expect(sliced.top_channels).toEqual(exact.top_channels);
    expect(sliced.channels).toBeNull();

    // More channels have changed than filters follow at once, which may be missing as well.
    const changed = Array.from({ length: 51 }, (_, at) => `(${1000 + at}, 0, 0)`);
    db.exec(`INSERT INTO post_search_stale VALUES ${changed.join()}`);
    const science = db.prepare<{ id: number }>("SELECT id FROM categories WHERE slug = 'science'");
    const categoryId = science.get()?.id ?? 0;
    const ofCategory = { ...selection, filter: { ...filter, categoryId } };
    const many = selectOverTime(db, ofCategory, { lookedUp: 500, read: 1 });
    db.exec("DELETE FROM post_search_stale");
    expect(many.note).toEqual(message("postsSliced", { before: "2026-11-01" }));
  });

  test("a day of news does not make exact months estimates", async () => {
    const posts = fc.sample(postsOf(1000), { numRuns: 1, seed: 47 })[0] ?? [];
    const days = [parseDay("2026-11-01"), parseDay("2026-10-10"), parseDay("2026-09-10")];
    for (const post of posts) {
      const day = days[post.id % 10 < 8 ? 0 : (post.id % 10) - 7] ?? 0;
      Object.assign(post, { text: "это", at: startOfDay(day) + post.id * 60_000 });
    }
    await write(posts);
    const { db } = appliance.app.domains;
    const short = { ...selection, from: days[2] ?? 0, to: days[0] ?? 0 };
    const limits = { lookedUp: 2000, read: 1500 };
    expect(selectOverTime(db, short, limits)).toEqual(selectOverTime(db, short));
  });

  test("where texts decide, an estimate says that it is one", async () => {
    const posts = fc.sample(postsOf(3000), { numRuns: 1, seed: 47 })[0] ?? [];
    for (const post of posts) post.text = "дом";
    await write(posts);
    const { body } = await expectOk(appliance, pathOf({ q: "=дом", from: "2026-08-01" }));
    expect(body.sampled).toBe(4);
    expect(body.note).toContain("one in 4 was read");
    expect(body.channels).toBeNull();
    expect(Math.abs(body.posts / 2900 - 1)).toBeLessThan(0.05);
  });
});

test("without a period it is the last 30 days, or those up to `to`", async () => {
  const { body } = await expectOk(appliance, pathOf({ q: "это" }));
  expect(body.periods).toHaveLength(30);
  expect([body.periods[0].from, body.periods.at(-1).from]).toEqual(["2026-10-22", "2026-11-20"]);
  const earlier = await expectOk(appliance, pathOf({ q: "это", to: "2026-09-30" }));
  expect(earlier.body.periods[0].from).toBe("2026-09-01");
});

test("a word that nobody writes, and months without data, give zeros and nulls", async () => {
  const nothing = { posts: 0, views: null, channels: 0 };
  for (const filter of [
    { q: "никтонепишет" },
    { q: "это", from: "2001-01-01", to: "2001-02-28" },
  ]) {
    const { body } = await expectOk(appliance, pathOf({ ...filter, group: "month" }));
    expect(body).toMatchObject({ ...nothing, sampled: 1, top_channels: [], note: null });
    for (const { from: _, ...period } of body.periods) expect(period).toEqual(nothing);
  }
  const old = await expectOk(
    appliance,
    pathOf({ q: "это", from: "0050-01-30", to: "0050-02-02", group: "month" }),
  );
  // biome-ignore lint/suspicious/noExplicitAny: as the API answers
  expect(old.body.periods.map(({ from }: any) => from)).toEqual(["0050-01-30", "0050-02-01"]);
});

test("wrong arguments are named, and cost nothing more than the call", async () => {
  const q = "это";
  await expectFaults(appliance, pathOf({ q, from: "2026-10-02", to: "2026-10-01" }), {
    to: "The period ends before it starts.",
  });
  await expectOk(appliance, pathOf({ q, from: "2025-01-01", to: "2026-01-01" }));
  await expectFaults(appliance, pathOf({ q, from: "2025-01-01", to: "2026-01-02" }), {
    to: "Ensure the period is at most 366 days.",
  });
  await expectFaults(appliance, pathOf({ q: "я".repeat(201), category: "нет", group: "day" }), {
    q: "Ensure this field has no more than 200 characters.",
    category: "Object with slug=нет does not exist.",
  });
  expect((await appliance.get(pathOf({ q, group: "year" }))).body).toHaveProperty("group");
  expect((await appliance.get(pathOf({ q: "-это" }))).body).toHaveProperty("q");
  expect((await appliance.get(PATH)).body).toHaveProperty("q");
  await expectOk(appliance, pathOf({ q: "я".repeat(200) }));
  // One letter is too short for any search, and may be quoted.
  await expectFaults(appliance, pathOf({ q: "и" }), {
    q: "Ensure this field has at least 2 characters.",
  });
  await expectOk(appliance, pathOf({ q: '"и"' }));
});

test("no words cause a server error", async () => {
  const piece = fc.constantFrom(
    ...[
      '"',
      "-",
      "|",
      "*",
      "=",
      "#",
      "@",
      "(",
      "AND",
      "NOT",
      "NEAR(",
      "{tokens}:",
      "^",
      "+",
      "/c1",
    ],
    ...["'", "\\", "это", "бло*", "=кварг", "\u0000", "\ud800", "%", ";"],
  );
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 220 }),
    fc.array(piece, { maxLength: 80 }).map((some) => some.join(" ")),
  );
  await asTimeAllows(
    fc.asyncProperty(hostile, fc.constantFrom("day", "week", "month"), async (q, group) => {
      const { status } = await appliance.get(
        pathOf({ q: q.toWellFormed(), group, from: "2026-08-01" }),
      );
      expect([200, 400]).toContain(status);
    }),
    20,
  );
}, 120_000);
