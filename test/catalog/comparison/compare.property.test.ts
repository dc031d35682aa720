import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { loadSample } from "../../../src/catalog/sample/sample.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectOk, imported } from "../../support/expectations.ts";
import { inPercent } from "../../support/in-percent.ts";

/**
 * Checks comparisons against an independent model, which reads whole tables and filters and sorts
 * plain rows: on random channels, on the sample, and on real channels if a folder is given.
 */

const MS_PER_DAY = 86_400_000;
const moscowDay = (ms: number): number => Math.floor((ms + 3 * 3_600_000) / MS_PER_DAY);
const dayText = (day: number): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

interface Day {
  channel_id: number;
  day: number;
  subscribers: number;
}
interface Post {
  id: number;
  channel_id: number;
  published_at: number;
  is_ad: number;
  views: number;
  views_at: number | null;
}

function modelOf(days: readonly Day[], posts: readonly Post[], from: number, to: number) {
  const within = (day: number) => day >= from && day <= to;
  const read = days.filter(({ day }) => within(day)).toSorted((one, other) => one.day - other.day);
  const [first = null, last = null] = [read[0]?.subscribers, read.at(-1)?.subscribers];
  const growth = first === null || last === null ? null : last - first;
  const published = posts.filter((post) => within(moscowDay(post.published_at)));
  const known = published
    .filter(({ views, views_at }) => views > 0 || views_at !== null)
    .toSorted(
      (one, other) =>
        other.views - one.views || other.published_at - one.published_at || other.id - one.id,
    );
  const views = known.map((post) => post.views);
  const sum = views.length === 0 ? null : views.reduce((all, one) => all + one, 0);
  const mean = sum === null ? null : Math.round(sum / views.length);
  const [lower, upper] = [
    views[Math.floor(views.length / 2)],
    views[Math.ceil(views.length / 2) - 1],
  ];
  return {
    ...{ from: dayText(from), to: dayText(to), subscribers_first: first, subscribers_last: last },
    growth,
    growth_percent: growth === null ? null : inPercent(growth, first ?? 0),
    posts: published.length,
    ads: published.filter(({ is_ad }) => is_ad === 1).length,
    ...{ views: sum, views_mean: mean },
    views_median:
      lower === undefined || upper === undefined ? null : Math.round((lower + upper) / 2),
    err: mean === null || last === null ? null : inPercent(mean, last),
    best_post: known[0]?.id ?? null,
  };
}

/**
 * Compares every public channel, 20 at a time, by the API and by the model.
 * @returns number of channels with a best post
 */
async function expectModel(of: Appliance, from: number, to: number): Promise<number> {
  const rows = <Row>(sql: string): Row[] => of.app.domains.db.prepare<Row>(sql).all();
  const days = Map.groupBy(rows<Day>("SELECT * FROM daily_statistics"), (one) => one.channel_id);
  const posts = Map.groupBy(rows<Post>("SELECT * FROM posts"), (one) => one.channel_id);
  const ids = rows<{ id: number }>("SELECT id FROM channels WHERE is_public = 1").map(
    ({ id }) => id,
  );
  ids.reverse();
  let best = 0;
  for (let at = 0; at < ids.length; at += 20) {
    const some = ids.slice(at, at + 20);
    const path = `/v1/msgr/channels/compare/?channels=${some}&from=${dayText(from)}&to=${dayText(to)}`;
    const { body } = await expectOk(of, path);
    const compared = body.results.map((one: { best_post: { id: number } | null }) => ({
      ...one,
      best_post: one.best_post?.id ?? null,
    }));
    const expected = some.map((id) => ({
      channel: id,
      ...modelOf(days.get(id) ?? [], posts.get(id) ?? [], from, to),
    }));
    expect(compared).toEqual(expected);
    best += expected.filter(({ best_post }) => best_post !== null).length;
  }
  return best;
}

const TODAY = moscowDay(Date.parse("2026-11-20T12:00:00+03:00"));
const CHANNELS = 12;

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  const made = Array.from({ length: CHANNELS }, (_, at) => channel(at + 1));
  await imported(appliance, "channels", made);
});
afterAll(() => appliance.close());

/** Days back from today, around the bounds of the periods, so that rows are on both sides of them. */
const back = fc.constantFrom(0, 1, 2, 3, 10, 29, 30, 31, 364, 365, 366);
const of = fc.integer({ min: 1, max: CHANNELS });
const readings = fc.uniqueArray(fc.record({ of, back, subscribers: fc.nat({ max: 300 }) }), {
  selector: ({ of, back }) => `${of} ${back}`,
  maxLength: 60,
});
const posts = fc.array(
  fc.record({
    ...{ of, back },
    second: fc.constantFrom(0, 1, 43_200, 86_399),
    views: fc.constantFrom(0, 1, 50, 999),
    isRead: fc.boolean(),
    isAd: fc.boolean(),
    fate: fc.constantFrom("stays", "stays", "is edited", "is taken down"),
  }),
  { maxLength: 60 },
);

test("comparisons equal the model's for any gaps, midnights, readings, edits and deletions", async () => {
  const { db, posts: manage } = appliance.app.domains;
  await asTimeAllows(
    fc.asyncProperty(readings, posts, back, back, async (days, made, one, other) => {
      db.exec("DELETE FROM posts; DELETE FROM post_tombstones; DELETE FROM daily_statistics");
      const day = db.prepare(
        "INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts) VALUES (?, ?, ?, 0, 0)",
      );
      for (const { of, back, subscribers } of days) day.run(of, TODAY - back, subscribers);
      const rows = made.map(({ of, back, second, views, isRead, isAd }, at) => {
        const time = new Date((TODAY - back) * MS_PER_DAY - 3 * 3_600_000 + second * 1000);
        return {
          ...{ id: at + 1, channel: of, text: "a", published_at: time.toISOString(), is_ad: isAd },
          ...(isRead && { views, views_at: time.toISOString() }),
        };
      });
      const stored = rows.filter(({ published_at }) => published_at <= "2026-11-20T09:00:00");
      await imported(appliance, "posts", stored);
      const ids = (fate: string) =>
        stored.map(({ id }) => id).filter((id) => made[id - 1]?.fate === fate);
      await imported(
        appliance,
        "posts",
        stored
          .filter(({ id }) => made[id - 1]?.fate === "is edited")
          .map((row) => ({ ...row, text: "edited", is_ad: !row.is_ad, views: 77 })),
      );
      if (ids("is taken down").length > 0) await manage.delete(ids("is taken down"), COMMAND_LINE);
      const [from, to] = [TODAY - Math.max(one, other), TODAY - Math.min(one, other)];
      await expectModel(appliance, Math.max(from, to - 365), to);
    }),
    25,
  );
});

test("comparisons equal the model's on the sample", async () => {
  const sample = await startAppliance();
  try {
    await loadSample(sample.app.domains.db, sample.ports.clock);
    for (const days of [1, 30, 366]) {
      const last = lastDay(sample);
      expect(await expectModel(sample, last - days + 1, last)).toBeGreaterThan(5);
    }
  } finally {
    await sample.close();
  }
});

function lastDay({ app }: Appliance): number {
  const sql = "SELECT max(published_at) AS at FROM posts";
  return moscowDay(app.domains.db.prepare<{ at: number }>(sql).get()?.at ?? 0);
}

/** A folder with `channels.csv`, `stats.csv` and `posts.ndjson` of real channels; optional. */
const FOLDER = process.env["KANALOG_TEST_REAL"] ?? "";

test.skipIf(!existsSync(join(FOLDER, "channels.csv")))(
  "comparisons equal the model's on real channels, whatever the period",
  async () => {
    const real = await startAppliance();
    try {
      const { db } = real.app.domains;
      for (const name of ["channels.csv", "posts.ndjson", "stats.csv"] as const) {
        const kind = name.slice(0, name.indexOf(".")) as "channels" | "posts" | "stats";
        await importFile(db, real.ports.clock, kind, join(FOLDER, name));
      }
      const last = lastDay(real);
      for (const [days, later] of [
        [1, 0],
        [7, 3],
        [30, 10],
        [366, 0],
        [366, 200],
      ] as const) {
        await expectModel(real, last - later - days + 1, last - later);
      }
      expect(await expectModel(real, last - 365, last)).toBeGreaterThan(20);
    } finally {
      await real.close();
    }
  },
);
