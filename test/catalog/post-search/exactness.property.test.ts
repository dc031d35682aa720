import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { stemOf, stemsFor } from "../../../src/catalog/post-search/stems.ts";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import { statement } from "../../../src/db/database.ts";
import { createAlertIndex } from "../../../src/push/webhooks/alerts/alert-index.ts";
import { type Answer, type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectOk, idsOf, imported, pathOfNext } from "../../support/expectations.ts";

/**
 * Compares search and alerts with a plain scan that shares no code with them, over texts of common and very
 * many rare words, which share beginnings: a small vocabulary hides what a limit on stems loses.
 */

const COMMON = ["на", "год", "новости", "стали", "день", "дом", "дней", "company", "happy"];
const BEGINNINGS = ["ден", "ста", "пер", "про", "прин", "год", "comp", "hope", "deliv", "stat"];
const MIDDLES = ["", "е", "ва", "до", "ход", "стр", "i", "an", "er", "ni"];
const ENDINGS = [
  ...[
    "",
    "ь",
    "ли",
    "а",
    "ами",
    "ого",
    "ение",
    "ений",
    "ать",
    "ают",
    "ость",
    "остью",
    "ийся",
    "ьи",
  ],
  ...["s", "y", "ies", "ing", "ed", "ization", "ate", "able", "ibly", "ment", "ous"],
];
const POSTS = 300;
const MORE_THAN_FEW = 1_001;

const word = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...COMMON) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...BEGINNINGS),
        fc.constantFrom(...MIDDLES),
        fc.constantFrom(...MIDDLES),
        fc.constantFrom(...ENDINGS),
      )
      .map((parts) => parts.join("")),
  },
);
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
const texts = fc.array(fc.tuple(text, fc.nat({ max: 3000 }), fc.boolean()), {
  minLength: POSTS,
  maxLength: POSTS,
});

const wordsIn = (of: string): string[] => of.split(" ");
/** Which forms belong together is the dictionary's to say, which lemmas.test.ts tests. */
const isFormOf = (form: string, asked: string): boolean => stemsFor(asked).includes(stemOf(form));

interface Part {
  q: string;
  holds(text: string): boolean;
}

const beginning = fc.tuple(word, fc.nat({ max: 12 })).map(([form, cut]): Part => {
  const start = form.slice(0, Math.max(3, form.length - cut));
  const q = start.length < 3 ? `=${start}` : `${start}*`;
  const holds = (one: string) => (q.endsWith("*") ? one.startsWith(start) : one === start);
  return { q, holds: (of) => wordsIn(of).some(holds) };
});
const exact = word.map(
  (form): Part => ({ q: `=${form}`, holds: (of) => wordsIn(of).includes(form) }),
);
const plain = word.map(
  (form): Part => ({
    q: form,
    holds: (of) => wordsIn(of).some((one) => isFormOf(one, form)),
  }),
);
const phrase = fc.tuple(word, word).map(
  (forms): Part => ({
    q: `"${forms.join(" ")}"`,
    holds: (of) =>
      wordsIn(of).some((_, at, words) =>
        forms.every((form, ahead) => isFormOf(words[at + ahead] ?? "", form)),
      ),
  }),
);
const part = fc.oneof({ weight: 4, arbitrary: beginning }, exact, plain, phrase);
const query = fc
  .tuple(
    fc.array(fc.array(part, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    fc.array(part, { maxLength: 2 }),
  )
  .map(
    ([all, none]): Part => ({
      q: [
        ...all.map((some) => some.map(({ q }) => q).join(" | ")),
        ...none.map(({ q }) => `-${q}`),
      ].join(" "),
      holds: (of) =>
        all.every((some) => some.some((one) => one.holds(of))) &&
        !none.some((one) => one.holds(of)),
    }),
  )
  .filter(({ q }) => q.length <= 200);
const filter = fc.record(
  { views_min: fc.constantFrom(1, 100, 777), is_ad: fc.boolean() },
  { requiredKeys: [] },
);

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
  // Texts alone decide about beginnings if filters leave fewer posts: post-search.property.test.ts has such.
  await imported(
    appliance,
    "posts",
    Array.from({ length: 2 * MORE_THAN_FEW }, (_, at) => ({
      ...{ id: POSTS + 1 + at, channel: 1, text: "заполнено", views: 3000, is_ad: at % 2 === 0 },
      ...{ published_at: "2026-11-04T12:00:00Z", deleted: false },
    })),
  );
});
afterAll(() => appliance.close());

const FACTS = { channelId: 1, isAd: false, categories: [], territories: [] };

function setEstimates(posts: number): void {
  statement(appliance.app.domains.db, "UPDATE post_search_stems SET posts = ?").run(posts);
}

const toTexts = (parameters: object): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

/** Ids on all pages, and the first page. */
async function pages(parameters: object) {
  const ids: number[] = [];
  const asked = new URLSearchParams(toTexts(parameters));
  let path: string | null = `/v1/msgr/posts/search/?${asked}`;
  let first: Answer["body"] | undefined;
  while (path !== null) {
    const answer = await expectOk(appliance, path);
    first ??= answer.body;
    ids.push(...idsOf(answer));
    path = answer.body.next === null ? null : pathOfNext(answer.body.next);
  }
  return { ids, first };
}

test("search and alerts find what a plain scan finds among rare words with the same beginnings", async () => {
  const run = fc.tuple(
    fc.noShrink(texts),
    fc.array(fc.tuple(query, filter), { minLength: 1, maxLength: 20 }),
    fc.boolean(),
  );
  await asTimeAllows(
    fc.asyncProperty(run, async ([rows, searches, isFrequent]) => {
      const posts = rows.map(([text, views, is_ad], at) => ({
        ...{ id: at + 1, channel: 1, text, views, is_ad, deleted: false },
        published_at: new Date(Date.UTC(2026, 10, 1, 0, at)).toISOString(),
      }));
      await imported(appliance, "posts", posts);
      // As on an appliance with so many posts that collecting those of such a beginning takes too long.
      setEstimates(isFrequent ? 999_999 : 0);
      for (const [{ q, holds }, filter] of searches) {
        const expected = posts.filter(
          (post) =>
            holds(post.text) &&
            post.views >= (filter.views_min ?? 0) &&
            (filter.is_ad === undefined || post.is_ad === filter.is_ad),
        );
        const ids = expected.map(({ id }) => id).toReversed();
        const newest = await pages({ q, ...filter, limit: 100 });
        expect(newest.ids, q).toEqual(ids);
        expect([newest.first.matches, newest.first.note], q).toEqual([ids.length, null]);
        const oldest = await pages({ q, ...filter, limit: 100, ordering: "published_at" });
        expect(oldest.ids, q).toEqual(ids.toReversed());
        const viewed = await pages({ q, ...filter, limit: 100, ordering: "-views" });
        expect(viewed.ids.toSorted(), q).toEqual(ids.toSorted());
        const ranked = await pages({ q, ...filter, limit: 100, ordering: "-relevance" });
        expect(ranked.ids.length, q).toBe(Math.min(100, ids.length));
        expect(
          ranked.ids.filter((id) => !ids.includes(id)),
          q,
        ).toEqual([]);
        const period = { from: "2026-11-01", to: "2026-11-02" };
        const asked = new URLSearchParams({ q, ...toTexts(filter), ...period });
        const counted = await expectOk(appliance, `/v1/msgr/posts/search/stats/?${asked}`);
        expect([counted.body.posts, counted.body.note], q).toEqual([ids.length, null]);
        const alerts = createAlertIndex();
        alerts.put(1, { q, channelId: null, category: null, territory: null, isAd: null });
        const alerted = posts.filter(
          ({ text }) => alerts.alertsOf(tokensOf(text), FACTS).length > 0,
        );
        expect(alerted, q).toEqual(posts.filter(({ text }) => holds(text)));
      }
    }),
    3,
  );
}, 120_000);
