import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { makeTrends } from "../../../src/catalog/trends/make-trends.ts";
import type { Database } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectOk, imported } from "../../support/expectations.ts";

/** Checks trends against an independent model, which counts channels in plain lists of all posts. */

const CHANNELS = 24;
const HOUR = 3_600_000;
/** Windows in which terms are sought. */
const SOUGHT_HOURS = [24, 6];
/** Words that are their own stems. */
const WORDS = ["vobrak", "dolnut", "zimkor", "hartum", "plodok", "gunvar"];

interface Post {
  channel: number;
  hoursAgo: number;
  text: string;
  views: number;
}

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

/** Words and pairs of a text of plain words. */
function termsOf(text: string): string[] {
  const words = text.split(" ").filter((word) => word !== "");
  return [...words, ...words.slice(1).map((word, at) => `${words[at]} ${word}`)];
}

function modelOf(posts: readonly Post[], hours: number, isIn: (channel: number) => boolean) {
  const now = appliance.ports.clock.now();
  const hour = (ms: number) => Math.floor(ms / HOUR);
  const lastHour = hour(now);
  const at = ({ hoursAgo }: Post) => now - hoursAgo * HOUR;
  const day = (ms: number) => Math.floor((ms + 3 * HOUR) / (24 * HOUR));
  const endDay = day((lastHour - 71) * HOUR);
  const days = Array.from({ length: 14 }, (_, back) => endDay - 1 - back);
  const withPosts = days.filter((one) => posts.some((post) => day(at(post)) === one));
  const users = (some: readonly Post[], term: string) =>
    new Set(some.filter(({ text }) => termsOf(text).includes(term)).map((post) => post.channel));
  const within = (span: number) => posts.filter((post) => hour(at(post)) > lastHour - span);
  const usualOf = (term: string, span: number): number => {
    let sum = 0;
    for (const one of withPosts) {
      const count = users(
        posts.filter((post) => day(at(post)) === one),
        term,
      ).size;
      if (count >= 3) sum += count;
    }
    return ((sum / withPosts.length) * span) / 24;
  };
  const rises = (term: string, span: number): boolean => {
    const { size } = users(within(span), term);
    return size >= 5 && size >= 3 * usualOf(term, span);
  };
  /** A pair is left out if one of its words is everywhere, in each window in which the pair rises. */
  const isCommon = (term: string): boolean =>
    SOUGHT_HOURS.filter((span) => rises(term, span)).every((span) => {
      const active = new Set(within(span).map((post) => post.channel)).size;
      const parts = term.split(" ");
      return (
        active >= 20 &&
        parts.length === 2 &&
        parts.some((part) => users(within(span), part).size > active / 4)
      );
    });
  const own = within(hours).filter((post) => isIn(post.channel));
  const rows = [...new Set(within(hours).flatMap(({ text }) => termsOf(text)))].flatMap((term) => {
    if (withPosts.length === 0 || !rises(term, hours) || isCommon(term)) return [];
    const usual = usualOf(term, hours);
    const all = users(within(hours), term).size;
    const using = own.filter((post) => termsOf(post.text).includes(term));
    const channels = users(using, term).size;
    if (channels < 3) return [];
    const expected = (usual * channels) / all;
    return [
      {
        score: (channels - expected) / Math.sqrt(expected + 1),
        row: {
          words: term,
          channels,
          posts: using.length,
          views: using.reduce((all, { views }) => all + views, 0),
          channels_usual: Math.round(usual * 10) / 10,
          growth: usual === 0 ? null : Math.round((all / usual) * 10) / 10,
          by_hour: Array.from(
            { length: hours },
            (_, back) =>
              using.filter((post) => hour(at(post)) === lastHour - hours + 1 + back).length,
          ),
        },
      },
    ];
  });
  return rows
    .filter(
      ({ row }) =>
        !rows.some(
          (pair) =>
            pair.row.words.split(" ").length === 2 &&
            pair.row.words !== row.words &&
            pair.row.words.split(" ").includes(row.words) &&
            pair.row.channels >= (row.channels * 2) / 3,
        ),
    )
    .toSorted((a, b) => b.score - a.score || (a.row.words < b.row.words ? -1 : 1))
    .map(({ row }) => row);
}

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
        const rows = body.results.map(({ top_posts: _, ...row }: { top_posts: object }) => row);
        expect(rows).toEqual(modelOf(made, hours, isIn));
        listed += rows.length;
      }
    }),
    25,
  );
  expect(listed).toBeGreaterThan(20);
});
