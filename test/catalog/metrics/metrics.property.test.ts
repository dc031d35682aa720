import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { loadSample } from "../../../src/catalog/sample/sample.ts";
import type { Database } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectOk, imported } from "../../support/expectations.ts";
import { inPercent } from "../../support/in-percent.ts";

/**
 * Checks metrics against an independent model, which reads whole tables and goes through plain rows day by
 * day: on random channels, on the sample, and on real channels if a folder is given.
 */

interface Day {
  channel_id: number;
  day: number;
  subscribers: number;
}
interface Post {
  channel_id: number;
  published_at: number;
  is_ad: number;
  views: number;
  views_at: number | null;
  views_24h: number | null;
  views_48h: number | null;
}

const MS_PER_DAY = 86_400_000;
const moscowDay = (ms: number): number => Math.floor((ms + 3 * 3_600_000) / MS_PER_DAY);
const dayText = (day: number): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

function modelOf(subscribers: number, days: readonly Day[], posts: readonly Post[], today: number) {
  const byDay = new Map(days.map((one) => [one.day, one.subscribers]));
  const until = days.length === 0 ? null : Math.max(...byDay.keys());
  const last = until === null ? null : (byDay.get(until) as number);
  const before = (back: number): number | null => {
    for (const off of [0, -1, 1, -2, 2]) {
      const day = (until ?? 0) - back + off;
      const found = byDay.get(day);
      if (until !== null && day < until && found !== undefined) return found;
    }
    return null;
  };
  const isFresh = until !== null && today - until <= 7;
  const growth = (back: number): number | null => {
    const earlier = before(back);
    return !isFresh || last === null || earlier === null ? null : last - earlier;
  };
  const percent = (back: number): number | null => {
    const [grown, earlier] = [growth(back), before(back)];
    return grown === null || earlier === null ? null : inPercent(grown, earlier);
  };
  const end = until ?? today - 1;
  const within = posts.filter(({ published_at }) => {
    const day = moscowDay(published_at);
    return day <= end && day > end - 30;
  });
  const known = within.filter(
    ({ views, views_at, published_at }) =>
      moscowDay(published_at) < today && (views_at !== null || views > 0),
  );
  const sum = known.reduce((all, { views }) => all + views, 0);
  const reach = known.length === 0 ? null : Math.round(sum / known.length);
  const at = (name: "views_24h" | "views_48h", isOfAds: boolean) => {
    let [views, read] = [0, 0];
    for (const post of within) {
      if (post[name] === null || (isOfAds && post.is_ad === 0)) continue;
      views += post[name];
      read += 1;
    }
    return [read === 0 ? null : Math.round(views / read), posts.length === 0 ? null : read];
  };
  const [reach_24h, reach_24h_posts] = at("views_24h", false);
  const [reach_48h, reach_48h_posts] = at("views_48h", false);
  const [ad_reach_24h, ad_reach_24h_posts] = at("views_24h", true);
  const [ad_reach_48h, ad_reach_48h_posts] = at("views_48h", true);
  return {
    growth_1d: growth(1),
    growth_7d: growth(7),
    growth_30d: growth(30),
    growth_7d_percent: percent(7),
    growth_30d_percent: percent(30),
    posts_30d: posts.length === 0 ? null : within.length,
    ads_30d: posts.length === 0 ? null : within.filter(({ is_ad }) => is_ad === 1).length,
    reach_30d: reach,
    err_30d: reach === null ? null : inPercent(reach, subscribers),
    statistics_until: until === null ? null : dayText(until),
    ...{ reach_24h, reach_24h_posts, reach_48h, reach_48h_posts },
    ...{ ad_reach_24h, ad_reach_24h_posts, ad_reach_48h, ad_reach_48h_posts },
  };
}

let appliance: Appliance;
let db: Database;
beforeAll(async () => {
  appliance = await startAppliance();
  db = appliance.app.domains.db;
  const made = Array.from({ length: CHANNELS }, (_, at) => channel(at + 1));
  await imported(appliance, "channels", made);
});
afterAll(() => appliance.close());

/** Compares every public channel's metrics with the model's. @returns number of channels */
async function expectModel(of = appliance): Promise<number> {
  const { clock } = of.ports;
  const { db } = of.app.domains;
  const today = moscowDay(clock.now());
  const rows = <Row>(sql: string): Row[] => db.prepare<Row>(sql).all();
  const days = Map.groupBy(rows<Day>("SELECT * FROM daily_statistics"), (one) => one.channel_id);
  const posts = Map.groupBy(rows<Post>("SELECT * FROM posts"), (one) => one.channel_id);
  const channels = rows<{ id: number; subscribers: number }>(
    "SELECT id, subscribers FROM channels WHERE is_public = 1",
  );
  for (let at = 0; at < channels.length; at += 100) {
    const some = channels.slice(at, at + 100);
    const ids = some.map(({ id }) => id).join(",");
    const { body } = await expectOk(of, `/v1/msgr/channels/?ids=${ids}&include=metrics`);
    const expected = some.map(({ id, subscribers }) => {
      return [id, modelOf(subscribers, days.get(id) ?? [], posts.get(id) ?? [], today)];
    });
    expect(
      body.results.map((card: { id: number; metrics: object }) => [card.id, card.metrics]),
    ).toEqual(expected);
  }
  return channels.length;
}

const TODAY = moscowDay(Date.parse("2026-11-20T12:00:00+03:00"));

const CHANNELS = 12;
const channels = fc.array(
  fc.record({
    subscribers: fc.constantFrom(0, 1, 99, 100, 5000),
    days: fc.uniqueArray(
      fc.record({
        // Days around the last reading and those that growth is counted from, with gaps.
        back: fc.oneof(
          fc.integer({ min: 0, max: 5 }),
          fc.integer({ min: 5, max: 12 }),
          fc.integer({ min: 26, max: 36 }),
          fc.integer({ min: 300, max: 340 }),
        ),
        subscribers: fc.nat({ max: 300 }),
      }),
      { selector: ({ back }) => back, maxLength: 14 },
    ),
    posts: fc.array(
      fc.record({
        // Days around the bounds of the 30 days, and seconds around midnight.
        back: fc.constantFrom(0, 1, 2, 15, 29, 30, 31, 400),
        second: fc.constantFrom(0, 1, 43_200, 86_399),
        views: fc.constantFrom(0, 1, 50, 999),
        isRead: fc.boolean(),
        isAd: fc.boolean(),
        views24h: fc.option(fc.constantFrom(0, 1, 40, 901)),
        views48h: fc.option(fc.constantFrom(0, 2, 45, 950)),
      }),
      { maxLength: 8 },
    ),
  }),
  { maxLength: CHANNELS },
);

type Made = typeof channels extends fc.Arbitrary<(infer One)[]> ? One : never;

function store(id: number, { subscribers, days, posts }: Made): void {
  db.prepare("UPDATE channels SET subscribers = ? WHERE id = ?").run(subscribers, id);
  const day = db.prepare(
    "INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts) VALUES (?, ?, ?, 0, 0)",
  );
  for (const { back, subscribers: count } of days) day.run(id, TODAY - back, count);
  const post = db.prepare(
    `INSERT INTO posts (channel_id, published_at, is_ad, views, views_at, read_at, views_24h, views_48h, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')`,
  );
  for (const { back, second, views, isRead, isAd, views24h, views48h } of posts) {
    const at = (TODAY - back) * MS_PER_DAY - 3 * 3_600_000 + second * 1000;
    post.run(id, at, Number(isAd), views, isRead ? at : null, at, views24h, views48h);
  }
}

test("metrics equal the model's for any gaps, midnights and readings, on any sequence of nights", async () => {
  await asTimeAllows(
    fc.asyncProperty(channels, fc.nat({ max: 2 }), async (made, nights) => {
      db.exec("DELETE FROM posts; DELETE FROM daily_statistics");
      for (const [at, one] of made.entries()) store(at + 1, one);
      for (let night = 0; night <= nights; night += 1)
        await computeMetrics(db, appliance.ports.clock);
      expect(await expectModel()).toBe(CHANNELS);
    }),
    40,
  );
});

test("metrics equal the model's on the sample", async () => {
  const sample = await startAppliance();
  try {
    await loadSample(sample.app.domains.db, sample.ports.clock);
    expect(await expectModel(sample)).toBe(9);
    const { body } = await expectOk(
      sample,
      "/v1/msgr/channels/?ordering=-growth_30d&include=metrics",
    );
    expect(body.results[0].metrics.growth_30d).not.toBeNull();
  } finally {
    await sample.close();
  }
});

/** A folder with `channels.csv`, `stats.csv` and `posts.ndjson` of real channels; optional. */
const FOLDER = process.env["KANALOG_TEST_REAL"] ?? "";

test.skipIf(!existsSync(join(FOLDER, "channels.csv")))(
  "metrics equal the model's on real channels, on the nights of their days and after",
  async () => {
    const real = await startAppliance();
    const { domains } = real.app;
    try {
      for (const name of ["channels.csv", "posts.ndjson", "stats.csv"] as const) {
        const kind = name.slice(0, name.indexOf(".")) as "channels" | "posts" | "stats";
        await importFile(domains.db, real.ports.clock, kind, join(FOLDER, name));
      }
      const days = domains.db.prepare<{ last: number }>(
        "SELECT max(day) AS last FROM daily_statistics",
      );
      const last = days.get()?.last ?? 0;
      let known = 0;
      for (const later of [1, 2, 15, 40]) {
        real.ports.clock.set(`${dayText(last + later)}T00:50:00+03:00`);
        await computeMetrics(domains.db, real.ports.clock);
        known = await expectModel(real);
      }
      expect(known).toBeGreaterThan(20);
    } finally {
      await real.close();
    }
  },
);
