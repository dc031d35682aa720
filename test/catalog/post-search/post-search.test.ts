import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { finishPostSearch, rebuildPostSearch } from "../../../src/catalog/post-search/catch-up.ts";
import { selectFoundPosts } from "../../../src/catalog/post-search/finding/select-found.store.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import type { FoundPage, FoundPosition } from "../../../src/catalog/post-search/post-search.ts";
import { stemOf } from "../../../src/catalog/post-search/stems.ts";
import { estimatedPosts } from "../../../src/catalog/post-search/vocabulary.store.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Database } from "../../../src/db/database.ts";
import { armDeadline } from "../../../src/db/deadline.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { message } from "../../../src/values/messages/messages.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectIds,
  expectOk,
  expectRefusal,
  idsOf,
  imported,
  pagesOf,
  pathOfNext,
} from "../../support/expectations.ts";

const SEARCH = "/v1/msgr/posts/search/";
const asking = (q: string, more: Record<string, string | number | boolean> = {}): string =>
  `${SEARCH}?${new URLSearchParams({ q, ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)])) })}`;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "NsMag", category: "science", territory: "kazan" }),
    channel(2, { category: "news", categories: "science" }),
    channel(3, { kind: "chat", territory: "moskva" }),
  ]);
});
afterEach(() => appliance.close());

const post = (id: number, text: string, more: Record<string, unknown> = {}) => ({
  id,
  channel: 1,
  published_at: `2026-11-19T10:${String(id).padStart(2, "0")}:00+03:00`,
  text,
  ...more,
});
const posts = (...rows: Record<string, unknown>[]) => imported(appliance, "posts", rows);
const found = (q: string, ids: number[], more: Record<string, string | number | boolean> = {}) =>
  expectIds(appliance, asking(q, more), ids);

describe("a query", () => {
  beforeEach(() =>
    posts(
      post(1, "Ставки по ипотеке растут"),
      post(2, "Новый дом в Казани, #Ипотека"),
      post(3, "О новых больших домах пишет @NsMag"),
      post(4, "Ёлка у дома", { channel: 3 }),
      post(5, "A company that runs"),
    ),
  );

  test("matches words in any form, newest posts first, including chats", async () => {
    await found("ипотеки", [2, 1]);
    await found("ёлки", [4]);
    await found("елку", [4]);
    await found("companies", [5]);
    await found("ДОМ казань", [2]);
  });

  test("can have a phrase, an exclusion, an alternative, a prefix, an exact form, a tag, a handle", async () => {
    await found('"новый дом"', [2]);
    await found("дом -казань", [4, 3]);
    await found("ипотека | company", [5, 2, 1]);
    await found("ипот*", [2, 1]);
    await found("=дома", [4]);
    await found("=дом", [2]);
    await found("#ипотека", [2]);
    await found("@nsmag", [3]);
    await found("дом -=дома", [3, 2]);
  });

  test("with a prefix finds the words that begin with it, whatever their stems are", async () => {
    await posts(post(6, "Даниил пришёл"), post(7, "Данные готовы, и дана команда"));
    await found("даниил*", [6]);
    await found("данные*", [7]);
    await found("дан* -даниил*", [7]);
    await found("дома*", [4, 3]);
    await found("домов*", []);
    await posts(post(8, "Принимать гостей, гео и уши"), post(9, "Running"));
    await found("принимат*", [8]);
    await found("гео*", [8]);
    await found("ушей*", []);
    await found("runn*", [9]);
    // The stem of company is compani, with which the word does not begin.
    await found("compan*", [5]);
    await found("compani*", []);
    await found("runs -compani*", [9, 5]);
    // The stems are deliveri and happi; those of certificate and normalization are shorter than the
    // prefixes.
    await posts(post(10, "Happy about the delivery"), post(11, "Certificate, normalization"));
    await found("delivery*", [10]);
    await found("happy*", [10]);
    await found("deliveries*", []);
    await found("certifica*", [11]);
    await found("normalizat*", [11]);
    await found("certificati*", []);
  });

  test("has no syntax errors, but needs something to search for", async () => {
    await found('дом AND (NEAR "', []);
    await found('"дом', [4, 3, 2]);
    const nothing =
      "Give at least one word to search for; exclusions and signs alone find nothing.";
    for (const q of ["-дом", "**", '""', "-#дом"]) {
      await expectFaults(appliance, asking(q), { q: nothing });
    }
  });
});

test("a 400 names each wrong parameter", async () => {
  await expectFaults(appliance, `${SEARCH}?cursor=never`, {
    cursor: "Invalid cursor.",
  });
  await expectFaults(appliance, SEARCH, { q: "This field is required." });
  await expectFaults(appliance, asking("я"), { q: "Ensure this field has at least 2 characters." });
  await expectFaults(appliance, asking("я".repeat(201)), {
    q: "Ensure this field has no more than 200 characters.",
  });
  await expectFaults(appliance, asking("дом", { channel: 99, category: "x", territory: "y" }), {
    channel: "There is no channel 99.",
    category: "Object with slug=x does not exist.",
    territory: "Object with slug=y does not exist.",
  });
  await expectFaults(appliance, asking("дом", { from: "2026-11-02", to: "2026-11-01" }), {
    to: "The period ends before it starts.",
  });
  await expectFaults(appliance, asking("дом", { media: "smell" }), {
    media: '"smell" is not a valid choice.',
  });
  await expectFaults(appliance, asking("дом", { views_min: -1 }), {
    views_min: "Ensure this value is greater than or equal to 0.",
  });
  await expectFaults(appliance, asking("дом", { ordering: "views" }), {
    ordering: '"views" is not a valid choice.',
  });
});

test("filters select posts by channel, category, territory, time, advertising, media and views", async () => {
  await posts(
    post(1, "дом", { views: 99, is_ad: true, media: "photo video" }),
    post(2, "дом", { channel: 2, views: 100, media: "photo" }),
    post(3, "дом", { channel: 3, views: 150, published_at: "2026-11-18T23:59:59+03:00" }),
    post(4, "дом", { published_at: "2026-11-18T00:00:00+03:00" }),
  );
  await found("дом", [2, 1, 3, 4]);
  await found("дом", [1, 4], { channel: 1 });
  await found("дом", [1, 4], { channel: "nsmag" });
  await found("дом", [1, 4], { channel: "@NSMAG" });
  await found("дом", [2, 1, 4], { category: "science" });
  await found("дом", [2], { category: "news" });
  await found("дом", [1, 4], { territory: "tatarstan" });
  await found("дом", [1, 3, 4], { territory: "russia" });
  await found("дом", [3, 4], { from: "2026-11-18", to: "2026-11-18" });
  await found("дом", [2, 1], { from: "2026-11-19" });
  await found("дом", [1], { is_ad: true });
  await found("дом", [2, 3, 4], { is_ad: false });
  await found("дом", [2, 1], { media: "photo" });
  await found("дом", [1], { media: "video" });
  await found("дом", [2, 3], { views_min: 100 });
  await found("дом", [3], { views_min: 101 });
  await found("дом", [2, 1, 3, 4], { views_min: 0 });
  await found("дом", [2], { category: "science", views_min: 100, media: "photo", is_ad: false });
});

test("a period includes its first and its last Moscow day, to the second", async () => {
  const times = ["17T23:59:59", "18T00:00:00", "18T23:59:59", "19T00:00:00"];
  await posts(
    ...times.map((time, at) => post(at + 1, "дом", { published_at: `2026-11-${time}+03:00` })),
  );
  for (const ordering of ["-published_at", "-views", "-relevance"]) {
    await found("дом", [3, 2], { from: "2026-11-18", to: "2026-11-18", ordering });
  }
});

test("the most viewed posts come first, equal views newest first", async () => {
  await posts(
    post(1, "дом", { views: 10 }),
    post(2, "дом", { views: 5_000_000_000 }),
    post(3, "дом"),
    post(4, "дом", { views: 10 }),
    post(5, "дом"),
  );
  await found("дом", [2, 4, 1, 5, 3], { ordering: "-views" });
});

test("the most viewed of thousands of matches come first, page by page, down to those without views", async () => {
  const rows = Array.from({ length: 2_300 }, (_, at) => ({
    ...post(at + 1, "дом"),
    views: at % 4 === 0 ? 0 : (at * 7919) % 3_000,
    published_at: new Date(Date.UTC(2026, 9, 1, 0, at % 500)).toISOString(),
  }));
  await posts(...rows);
  const expected = rows
    .toSorted(
      (one, other) =>
        other.views - one.views ||
        Date.parse(other.published_at) - Date.parse(one.published_at) ||
        other.id - one.id,
    )
    .map(({ id }) => id);
  const pages = await pagesOf(appliance, asking("дом", { ordering: "-views", limit: 100 }));
  expect(pages.flat()).toEqual(expected);
});

test("matches are counted the same in each order, even if there are more than relevance ranks", async () => {
  const rows = Array.from({ length: 2_600 }, (_, at) => ({
    ...post(at + 1, "новый дом"),
    ...{ views: at % 150, is_ad: at % 300 === 0 },
    published_at: new Date(Date.UTC(2026, 9, 1, 0, at % 500)).toISOString(),
  }));
  await posts(...rows);
  // 10 views are not the lower bound of a level, so they are tested post by post.
  for (const views_min of [0, 1, 10]) {
    const matches = rows.filter(({ views, is_ad }) => views >= views_min && !is_ad).length;
    expect(matches).toBeGreaterThan(2_000);
    for (const ordering of ["-published_at", "-views", "-relevance"]) {
      const path = asking("дом", { ordering, views_min, is_ad: false, limit: 1 });
      const { body } = await expectOk(appliance, path);
      expect(body, path).toMatchObject({ matches, matches_capped: false });
    }
  }
});

test("relevance weighs how often words occur and how old posts are, and has one page", async () => {
  const filler = " слово".repeat(20);
  await posts(
    post(1, `дом дом дом${filler}`),
    post(2, `дом${filler}`),
    post(3, `дом дом дом${filler}`, { published_at: "2025-11-19T10:00:00+03:00" }),
    post(4, `дом дом${filler}`),
    ...[11, 12, 13, 14].map((id) => post(id, "нет")),
  );
  await found("дом", [1, 4, 2, 3], { ordering: "-relevance" });
  const { body } = await expectOk(appliance, asking("дом", { ordering: "-relevance", limit: 2 }));
  expect(idsOf({ body } as never)).toEqual([1, 4]);
  expect(body.next).toBeNull();
  expect(body.matches).toBe(4);
});

test("relevance weighs rare words more than frequent ones, and a word in a short text more than in a long one", async () => {
  const filler = " слово".repeat(20);
  await posts(
    post(1, `ягода${filler}`),
    post(2, "дом"),
    ...[3, 4, 5, 6, 7, 8].map((id) => post(id, `дом${filler}`)),
  );
  await found("дом | ягода", [1, 2, 8, 7, 6, 5, 4, 3], { ordering: "-relevance" });
  await found("дом", [2, 8, 7, 6, 5, 4, 3], { ordering: "-relevance" });
});

describe("the work of a search is limited:", () => {
  /** Imports posts, a minute apart. */
  const many = (count: number, text: (id: number) => string, views: (id: number) => number) =>
    posts(
      ...Array.from({ length: count }, (_, at) => ({
        ...post(at + 1, text(at + 1), { views: views(at + 1) }),
        published_at: new Date(Date.UTC(2026, 9, 1, 0, at)).toISOString(),
      })),
    );

  /** As if each look at the clock came long after the one before. */
  function endTimeAtOnce(db: Database): void {
    let nowMs = 0;
    armDeadline(db, { ...systemClock, monotonic: () => (nowMs += 1_000) });
  }

  const times = { fromMs: null, untilMs: null };
  const NO_FILTER = {
    ...{ channelId: null, categoryId: null, territoryId: null, ...times },
    ...{ isAd: null, media: null, viewsMin: null },
  };
  const FIRST_PAGE = { after: null, limit: 10, nowMs: 0 };

  test("a prefix stands for all words with it, however many their stems are", async () => {
    await many(
      130,
      (id) => (id === 32 || id > 120 ? "нового1234567" : `новое${id}`),
      () => 0,
    );
    for (const q of ["ново*", "ново* | дач*"]) {
      const { body } = await expectOk(appliance, asking(q, { limit: 100 }));
      expect(body).toMatchObject({ matches: 130, matches_capped: false, note: null });
    }
    await found("новое120*", [120]);
    await found("новое* -новое1*", [99, 98, 97, 96, 95, 94, 93, 92, 91, 90], { limit: 10 });
  });

  test("the estimates tell a frequent word from a rarer one", async () => {
    await many(
      1_200,
      (id) => (id % 5 === 0 ? "ягода ягодник" : "ягодник"),
      () => 0,
    );
    const [often, seldom] = ["ягодник", "ягода"].map((word) =>
      estimatedPosts(appliance.app.domains.db, stemOf(word)),
    );
    expect(often).toBeWithin(600, 1_900);
    expect(seldom).toBeWithin(120, 480);
  });

  test("all matches of an exact form are counted, or the newest as time allows, which the answer says", async () => {
    await many(
      4_400,
      (id) => (id % 2 === 0 ? "дом" : "дома"),
      (id) => id,
    );
    const ranked = "Only the newest 2000 matches were ranked.";
    for (const ordering of ["-published_at", "published_at", "-views", "-relevance"]) {
      const { body } = await expectOk(appliance, asking("=дом", { ordering, limit: 10 }));
      expect(body).toMatchObject({ matches: 2_200, matches_capped: false });
      expect(body.note).toBe(ordering === "-relevance" ? ranked : null);
    }
    const pages = await pagesOf(appliance, asking("=дом", { limit: 100 }));
    expect(pages.flat()).toHaveLength(2_200);

    const { db } = appliance.app.domains;
    endTimeAtOnce(db);
    const query = readPostQuery("=дом");
    if (query === null) throw new Error("there is a word");
    for (const ordering of ["-published_at", "-views", "-relevance"] as const) {
      const selection = { ...{ query, filter: NO_FILTER, ordering }, ...FIRST_PAGE };
      const { matches, isCapped, note } = selectFoundPosts(db, selection);
      expect([matches, isCapped]).toEqual([1_000, true]);
      expect(note).toEqual(message("postsUntested", { posts: 2_000 }));
    }
  });

  test("a form that no other word shares its token with is counted by the index alone", async () => {
    await many(
      10_001,
      () => "для",
      () => 0,
    );
    const { body } = await expectOk(appliance, asking("=Для", { limit: 2 }));
    expect(body).toMatchObject({ matches: 10_000, matches_capped: true, note: null });
    const forms = ["стали", "сталь", "стать", "кофе", "кофеёк", "2026", "2026м"];
    await posts(...forms.map((form, at) => post(at + 1, form)));
    await found("=стали", [1]);
    await found("=кофе", [4]);
    await found("=2026", [6]);
  });

  test("a page of an exact form ends after 200 texts if some are left untested, and the next continues there", async () => {
    const exact = [5, 10, 2_295, 2_490];
    await many(
      2_500,
      (id) => (exact.includes(id) ? "дом" : "дома"),
      (id) => id,
    );
    const { db } = appliance.app.domains;
    endTimeAtOnce(db);
    const query = readPostQuery("=дом");
    if (query === null) throw new Error("there is a word");
    for (const ordering of ["-published_at", "-views"] as const) {
      const pages: number[][] = [];
      let after: FoundPosition | null = null;
      do {
        const page: FoundPage = selectFoundPosts(db, {
          ...{ query, filter: NO_FILTER, ordering, ...FIRST_PAGE },
          after,
        });
        pages.push(page.results.map(({ id }) => id));
        after = page.last;
      } while (after !== null);
      const none = Array.from({ length: 10 }, () => []);
      expect(pages).toEqual([[2_490], [2_295], ...none, [10, 5]]);
    }
  });

  test("a page of an exact form is full if all texts were tested", async () => {
    await many(
      500,
      (id) => ([5, 10, 295, 490].includes(id) ? "дом" : "дома"),
      (id) => id,
    );
    for (const ordering of ["-published_at", "-views"]) {
      const pages = await pagesOf(appliance, asking("=дом", { ordering, limit: 3 }));
      expect(pages).toEqual([[490, 295, 10], [5]]);
    }
    await found("=дом", [490, 295, 10, 5], { ordering: "-relevance" });
    const { body } = await expectOk(appliance, asking("=дом"));
    expect(body).toMatchObject({ matches: 4, matches_capped: false });
  });

  test("the newest come first, page by page, whether all matches were counted or not", async () => {
    await many(
      10_001,
      () => "дом",
      () => 0,
    );
    for (const last of [10_001, 10_000]) {
      const { body } = await expectOk(appliance, asking("дом", { limit: 2 }));
      expect(body).toMatchObject({ matches: 10_000, matches_capped: last === 10_001 });
      expect(idsOf({ body } as never)).toEqual([last, last - 1]);
      const { pathname, search } = new URL(body.next);
      const next = await expectOk(appliance, pathname + search);
      expect(idsOf(next)).toEqual([last - 2, last - 3]);
      await found("дом", [last, last - 1], { ordering: "-relevance", limit: 2 });
      await appliance.app.domains.posts.delete([last], COMMAND_LINE);
    }
  });

  test("pages by views continue among posts without any, however many match", async () => {
    await many(
      10_050,
      () => "дом",
      (id) => (id <= 30 ? id : 0),
    );
    const from = (id: number, count: number) => Array.from({ length: count }, (_, at) => id - at);
    let path = asking("дом", { ordering: "-views", limit: 20 });
    for (const ids of [
      from(30, 20),
      [...from(10, 10), ...from(10_050, 10)],
      from(10_040, 20),
      from(10_020, 20),
    ]) {
      const answer = await expectOk(appliance, path);
      expect(idsOf(answer)).toEqual(ids);
      path = pathOfNext(answer.body.next);
    }
  });

  test("ordering by views refuses more than 50,000 matches of one level, and sorts all of fewer", async () => {
    await many(
      50_003,
      () => "дом",
      (id) => (id <= 2 ? 500 : 100 + (id % 90)),
    );
    await expectFaults(appliance, asking("дом", { ordering: "-views", limit: 3 }), {
      ordering:
        "Too many of the posts have about as many views: narrow the search by more words, `from` and `to`, or other filters.",
    });
    await found("дом", [2], { ordering: "-views", limit: 1 });
    await posts({ id: 50_000, deleted: true });
    await found("дом", [2, 1, 49_949], { ordering: "-views", limit: 3 });
  }, 120_000);
});

test("pages have no gaps between them, even with many posts of one instant", async () => {
  const rows = Array.from({ length: 25 }, (_, at) =>
    post(at + 1, "дом", {
      published_at:
        at % 2 ? "2026-11-19T10:00:00+03:00" : `2026-11-${10 + (at % 5)}T10:00:00.500+03:00`,
      views: at % 3,
    }),
  );
  await posts(...rows);
  for (const ordering of ["-published_at", "-views"]) {
    const whole = idsOf(await expectOk(appliance, asking("дом", { ordering, limit: 100 })));
    expect(whole).toHaveLength(25);
    for (const limit of [4, 5]) {
      const path = asking("дом", { ordering, limit, channel: "nsmag" });
      const pages = await pagesOf(appliance, path);
      expect(pages.flat()).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(25 / limit));
    }
  }
});

test("posts of one minute come newest first, whichever was imported first", async () => {
  for (const [at, second] of [40, 0, 20, 50, 10, 30].entries()) {
    await posts(post(at + 1, "дом", { published_at: `2026-11-19T10:00:${second || "00"}+03:00` }));
  }
  const newestFirst = [4, 1, 6, 3, 5, 2];
  for (const limit of [1, 2, 3, 6]) {
    const pages = await pagesOf(appliance, asking("дом", { limit }));
    expect(pages.flat()).toEqual(newestFirst);
  }
});

test("the number of matches does not depend on the page", async () => {
  await posts(post(1, "дом"), post(2, "дом"), post(3, "дома"));
  const { body } = await expectOk(appliance, asking("дом", { limit: 1 }));
  expect(body).toMatchObject({ matches: 3, matches_capped: false });
  const exact = await expectOk(appliance, asking("=дом", { limit: 1 }));
  expect(exact.body).toMatchObject({ matches: 2, matches_capped: false });
});

test("a result is the post with a snippet around the first hit, and the positions of hits", async () => {
  const text = `${"😀 слово ".repeat(60)}о **новом\n\nдоме** пишут ${"слово ".repeat(60)}`;
  await posts(post(1, text));
  const [result] = (await expectOk(appliance, asking('"новый дом" пишут'))).body.results;
  const { snippet, highlights, ...rest } = result;
  expect(rest).toEqual((await appliance.get("/v1/msgr/posts/1/")).body);
  expect([...snippet].length).toBeLessThanOrEqual(200);
  const hits = highlights.map(([from, to]: [number, number]) =>
    [...snippet].slice(from, to).join(""),
  );
  expect(hits).toEqual(["новом доме", "пишут"]);
  expect(snippet).toStartWith("…");
  expect(snippet).toEndWith("…");
  const narrow = await expectOk(appliance, asking("дом", { fields: "id,snippet" }));
  expect(Object.keys(narrow.body.results[0])).toEqual(["id", "snippet"]);
});

describe("the index follows posts and channels:", () => {
  beforeEach(() => posts(post(1, "дом", { views: 5 }), post(2, "дом", { channel: 2 })));

  test("an edited text is found by its current words only", async () => {
    await posts(post(1, "дача"));
    await found("дом", [2]);
    await found("дача", [1]);
  });

  test("updated views change orderings and filters", async () => {
    await posts({ id: 1, views: 6 }, { id: 2, views: 700 });
    await found("дом", [2, 1], { ordering: "-views" });
    await found("дом", [2], { views_min: 700 });
    await posts({ id: 1, views: 7 });
    await found("дом", [2, 1], { views_min: 7 });
    await found("дом", [2], { views_min: 8 });
  });

  test("a changed mark of advertising and changed media change what filters find", async () => {
    await posts({ id: 1, is_ad: true });
    await found("дом", [1], { is_ad: true });
    await found("дом", [2], { is_ad: false });
    await posts({ id: 2, media: "photo" });
    await found("дом", [2], { media: "photo" });
    await posts({ id: 2, media: "video" }, { id: 1, is_ad: false });
    await found("дом", [], { media: "photo" });
    await found("дом", [2], { media: "video" });
    await found("дом", [], { is_ad: true });
  });

  test("a changed publication time moves the post", async () => {
    await posts({ id: 2, published_at: "2020-01-01T00:00:00+03:00" });
    await found("дом", [1, 2]);
    await found("дом", [2], { to: "2020-01-01" });
  });

  test("a post that is taken down or deleted disappears at once, and can be restored", async () => {
    await appliance.app.domains.posts.delete([1], COMMAND_LINE);
    await found("дом", [2]);
    await posts({ id: 2, deleted: true });
    await found("дом", []);
    await posts(post(1, "дом", { deleted: false }));
    await found("дом", [1]);
  });

  test("of several rows about one post in a file, the last is indexed", async () => {
    await posts(
      post(3, "дача"),
      post(3, "река"),
      { id: 1, deleted: true },
      post(1, "озеро", { deleted: false }),
      post(4, "гора"),
      { id: 4, deleted: true },
      post(2, "дача"),
      post(2, "река"),
    );
    await found("дача", []);
    await found("река", [3, 2]);
    await found("озеро", [1]);
    await found("гора", []);
    await found("дом", []);
  });

  test("of several rows with views of one post in a file, the last is indexed", async () => {
    await posts(
      post(3, "дом", { views: 199 }),
      post(4, "дом", { views: 150 }),
      { id: 3, views: 101 },
      post(1, "дом у реки", { views: 190 }),
      { id: 1, views: 110 },
    );
    await found("дом", [4, 1, 3, 2], { ordering: "-views" });
    await found("дом", [4, 1], { views_min: 105 });
  });

  test("posts of a hidden channel disappear at once, and reappear soon after it is shown again", async () => {
    await appliance.app.domains.channels.setPublic(1, false, COMMAND_LINE);
    await found("дом", [2]);
    expect((await expectOk(appliance, asking("дом"))).body.matches).toBe(1);
    await appliance.app.postIndex.tick();
    await found("дом", [2]);
    await appliance.app.domains.channels.setPublic(1, true, COMMAND_LINE);
    await appliance.app.postIndex.tick();
    await found("дом", [2, 1]);
  });

  test("posts are found by their channels' new category and territory at once, before and after they are reindexed", async () => {
    await imported(appliance, "channels", [
      { id: 1, category: "news", territory: "moskva" },
      { id: 2, territory: "kazan" },
    ]);
    for (const _ of ["before", "after"]) {
      await found("дом", [2, 1], { category: "news" });
      await found("дом", [2], { category: "science" });
      await found("дом", [1], { territory: "moskva" });
      await found("дом", [2], { territory: "tatarstan" });
      await found("дом", [], { territory: "moskva", category: "science" });
      await appliance.app.postIndex.tick();
    }
  });

  test("posts of many channels are found by their new category once they are reindexed", async () => {
    const ids = Array.from({ length: 60 }, (_, at) => 100 + at);
    await imported(
      appliance,
      "channels",
      ids.map((id) => channel(id, { category: "news" })),
    );
    const extra = Array.from({ length: 100 }, (_, at) => ({ id: 200 + at, channel: 100 }));
    await posts(
      ...[...ids.map((id) => ({ id, channel: id })), ...extra].map((of) => ({
        ...post(1, "озеро"),
        ...of,
      })),
    );
    await imported(
      appliance,
      "channels",
      ids.map((id) => ({ id, category: "auto" })),
    );
    await appliance.app.postIndex.tick();
    const { body } = await expectOk(appliance, asking("озеро", { category: "auto", limit: 1 }));
    expect(body.matches).toBe(160);
    await found("озеро", [], { category: "news" });
  });

  test("the longest posts are indexed by a rebuild like others", async () => {
    const long = `озеро ${"слово ".repeat(6_000)}`;
    await posts(post(3, long), post(4, long), post(5, "озеро"));
    const { db } = appliance.app.domains;
    await rebuildPostSearch(db, appliance.ports.clock);
    await finishPostSearch(db, appliance.ports.clock, true);
    await found("озеро", [5, 4, 3]);
    await found("дом", [2, 1]);
  });

  test("posts of a merged channel belong to the other, and those of a deleted channel are gone", async () => {
    await appliance.app.domains.channels.merge(1, 2, COMMAND_LINE);
    await found("дом", [2, 1], { channel: 2 });
    await appliance.app.domains.channels.delete(2, COMMAND_LINE);
    await found("дом", []);
  });
});

test("post search needs the Start plan and costs one unit", async () => {
  await posts(post(1, "дом"));
  const { key: onTest } = await appliance.customer({ plan: "test" });
  await expectRefusal(appliance, asking("дом"), 403, "tariff_required", onTest);
  const { key } = await appliance.customer({ plan: "start" });
  const answer = await expectOk(appliance, asking("дом"), key);
  expect(answer.headers.get("x-request-cost")).toBe("1");
});
