import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { makeTrends } from "../../../src/catalog/trends/make-trends.ts";
import type { Database } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectOk, imported } from "../../support/expectations.ts";
import { trendsModel, withPairs } from "../../support/trends-model.ts";

/** Checks trends against an independent model, which counts channels in plain lists of all posts. */

const CHANNELS = 24;
const HOUR = 3_600_000;
/** Words that are their own stems. */
const WORDS = ["vobrak", "dolnut", "zimkor", "hartum", "plodok", "gunvar"];

let appliance: Appliance;
let db: Database;
beforeAll(async () => {
  appliance = await startAppliance();
  db = appliance.app.domains.db;
  const made = Array.from({ length: CHANNELS }, (_, at) =>
    channel(at + 1, { category: at % 2 === 0 ? "science" : "news" }),
  );
  await imported(appliance, "channels", made);
});
afterAll(() => appliance.close());

/** Of a text of plain words, each of which is its own lemma. */
const termsOf = (text: string): Set<string> =>
  new Set(withPairs(text.split(" ").filter((word) => word !== "")));

const posts = fc.array(
  fc.record({
    channel: fc.integer({ min: 1, max: CHANNELS }),
    hoursAgo: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 0, max: 30 }) },
      { weight: 1, arbitrary: fc.integer({ min: 31, max: 90 }) },
      { weight: 3, arbitrary: fc.integer({ min: 90, max: 450 }) },
    ),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(" ")),
    views: fc.nat({ max: 100 }),
  }),
  { minLength: 60, maxLength: 400 },
);

test("trends equal the model's on random posts, in any of the windows, of all channels and of a category", async () => {
  let listed = 0;
  await asTimeAllows(
    fc.asyncProperty(posts, async (made) => {
      db.exec("DELETE FROM posts; DELETE FROM trends; DELETE FROM trend_days");
      const post = db.prepare(
        `INSERT INTO posts (channel_id, published_at, is_ad, views, views_at, read_at, text)
         VALUES (?, ?, 0, ?, 1, 1, ?)`,
      );
      appliance.ports.clock.advance(1);
      const now = appliance.ports.clock.now();
      for (const { channel: id, hoursAgo, views, text } of made)
        post.run(id, now - hoursAgo * HOUR, views, text);
      await makeTrends(db, appliance.ports.clock);
      for (const [query, hours, isIn] of [
        ["", 24, () => true],
        ["?hours=6", 6, () => true],
        ["?category=science", 24, (id: number) => id % 2 === 1],
      ] as const) {
        const { body } = await expectOk(appliance, `/v1/msgr/trends/${query}`);
        const rows = body.results.map(
          ({ top_posts: _, words: term, ...row }: { top_posts: object; words: string }) => ({
            term,
            ...row,
          }),
        );
        const all = made.map(({ hoursAgo, text, ...post }) => ({
          ...post,
          ...{ at: now - hoursAgo * HOUR, terms: termsOf(text) },
        }));
        expect(rows).toEqual(trendsModel(all, { now, hours, isIn }));
        listed += rows.length;
      }
    }),
    25,
  );
  expect(listed).toBeGreaterThan(20);
});
