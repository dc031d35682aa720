import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { CATALOG_ORDERINGS } from "../../../src/catalog/search/catalog.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectIds,
  expectOk,
  idsOf,
  imported,
  pagesOf,
  pathOfNext,
} from "../../support/expectations.ts";

/** Today is 2026-11-20 by the fake clock. */
let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const NOTHING_KNOWN = {
  ...{ growth_1d: null, growth_7d: null, growth_30d: null },
  ...{ growth_7d_percent: null, growth_30d_percent: null },
  ...{ posts_30d: null, ads_30d: null, reach_30d: null, err_30d: null, statistics_until: null },
  ...{ reach_24h: null, reach_24h_posts: null, reach_48h: null, reach_48h_posts: null },
  ...{ ad_reach_24h: null, ad_reach_24h_posts: null, ad_reach_48h: null, ad_reach_48h_posts: null },
};
const NOT_READ_BY_AGE = {
  ...{ reach_24h_posts: 0, reach_48h_posts: 0, ad_reach_24h_posts: 0, ad_reach_48h_posts: 0 },
};

const compute = () => computeMetrics(appliance.app.domains.db, appliance.ports.clock);

/** Imports readings by day of November 2026; days of October are below 1. */
async function readings(id: number, subscribers: Record<number, number>): Promise<void> {
  const rows = Object.entries(subscribers).map(([day, count]) => ({
    channel: id,
    day: new Date(Date.UTC(2026, 10, Number(day))).toISOString().slice(0, 10),
    subscribers: count,
  }));
  await imported(appliance, "stats", rows);
}

async function posts(id: number, rows: object[]): Promise<void> {
  const whole = rows.map((one, at) => ({ channel: id, msgr_post_id: at + 1, text: "a", ...one }));
  await imported(appliance, "posts", whole);
}

async function metricsOf(id: number) {
  const { body } = await expectOk(appliance, `/v1/msgr/channels/${id}/?include=metrics`);
  return body.metrics;
}

describe("growth", () => {
  test("is the change from the readings 1, 7 and 30 days before the last one to the last", async () => {
    await imported(appliance, "channels", [channel(1, { subscribers: 2000 })]);
    await readings(1, { [-11]: 500, 12: 800, 18: 990, 19: 1000 });
    await compute();
    expect(await metricsOf(1)).toEqual({
      ...NOTHING_KNOWN,
      ...{ growth_1d: 10, growth_7d: 200, growth_30d: 500 },
      ...{ growth_7d_percent: 25, growth_30d_percent: 100, statistics_until: "2026-11-19" },
    });
  });

  test("counts back from the last reading of the last 7 days; what grew before that does not grow", async () => {
    await imported(appliance, "channels", [channel(1)]);
    await readings(1, { 1: 100, 2: 103 });
    for (const [today, grown] of [
      ["2026-11-09", 3],
      ["2026-11-10", null],
      ["2027-11-20", null],
    ] as const) {
      appliance.ports.clock.set(`${today}T12:00:00+03:00`);
      await compute();
      const until = { statistics_until: "2026-11-02" };
      expect([today, await metricsOf(1)]).toMatchObject([today, { growth_1d: grown, ...until }]);
    }
  });

  test("ranks no channel that is dead", async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    await readings(1, { [-60]: 1, [-30]: 1_000_000 });
    await readings(2, { [-11]: 100, 19: 101 });
    await compute();
    const list = await expectOk(appliance, "/v1/msgr/channels/?ordering=-growth_30d");
    expect(idsOf(list)).toEqual([2]);
    const grown = await expectOk(appliance, "/v1/msgr/channels/?growth_30d_min=1");
    expect(idsOf(grown)).toEqual([2]);
  });

  test("takes the nearest reading within 2 days, and the older of two equally near", async () => {
    await imported(appliance, "channels", [channel(1), channel(2), channel(3), channel(4)]);
    // 7 days before the 19th is the 12th.
    await readings(1, { 10: 1, 13: 2, 19: 1000 });
    await readings(2, { 11: 1, 13: 2, 19: 1000 });
    await readings(3, { 9: 1, 15: 2, 19: 1000 });
    await readings(4, { 14: 2, 19: 1000 });
    await compute();
    expect((await metricsOf(1)).growth_7d).toBe(998);
    expect((await metricsOf(2)).growth_7d).toBe(999);
    expect((await metricsOf(3)).growth_7d).toBe(null);
    expect((await metricsOf(4)).growth_7d).toBe(998);
  });

  test("over one day is never counted from the last reading itself", async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    await readings(1, { 16: 90, 19: 100 });
    await readings(2, { 15: 90, 19: 100 });
    await compute();
    expect((await metricsOf(1)).growth_1d).toBe(10);
    expect((await metricsOf(2)).growth_1d).toBe(null);
  });

  test("has no percentage if there were no subscribers before", async () => {
    await imported(appliance, "channels", [channel(1)]);
    await readings(1, { 12: 0, 19: 5 });
    await compute();
    expect(await metricsOf(1)).toMatchObject({ growth_7d: 5, growth_7d_percent: null });
  });
});

describe("engagement", () => {
  test("covers the 30 whole Moscow days before today, from midnight to midnight", async () => {
    await imported(appliance, "channels", [channel(1, { subscribers: 1000 })]);
    await posts(1, [
      { published_at: "2026-10-20T23:59:59+03:00", views: 1 },
      { published_at: "2026-10-21T00:00:00+03:00", views: 100 },
      { published_at: "2026-11-19T23:59:59+03:00", views: 201, is_ad: true },
      { published_at: "2026-11-20T00:00:00+03:00", views: 7 },
    ]);
    await compute();
    expect(await metricsOf(1)).toEqual({
      ...NOTHING_KNOWN,
      // The mean 150.5 is rounded, and ERR is computed from the rounded number.
      ...{ posts_30d: 2, ads_30d: 1, reach_30d: 151, err_30d: 15.1, ...NOT_READ_BY_AGE },
    });
  });

  test("ends on the day of the last reading, as growth does, with every kind of reach", async () => {
    await imported(appliance, "channels", [channel(1), channel(2), channel(3)]);
    const post = (day: string, views: number) => ({
      ...{ published_at: `2026-${day}:00:00+03:00`, views, is_ad: true },
      ...{ views_24h: views + 1, views_48h: views + 2 },
    });
    const all = ["10-11T23", "10-12T00", "11-10T23", "11-11T00", "11-19T12", "11-20T01"];
    for (const id of [1, 2, 3]) {
      await posts(
        id,
        all.map((at, index) => post(at, 10 ** (index + 1))),
      );
    }
    // Channel 1 was last read on the 10th, 2 is read today, 3 never.
    await readings(1, { 9: 5, 10: 8 });
    await readings(2, { 19: 5, 20: 8 });
    await compute();
    const mean = (sum: number, count: number) => {
      const reach = (more: number) => Math.round(sum / count) + more;
      return {
        ...{ reach_30d: reach(0), reach_24h: reach(1), reach_48h: reach(2) },
        ...{ ad_reach_24h: reach(1), ad_reach_48h: reach(2) },
      };
    };
    expect(await metricsOf(1)).toMatchObject({
      ...{ statistics_until: "2026-11-10", posts_30d: 2, ads_30d: 2, reach_24h_posts: 2 },
      ...mean(100 + 1000, 2),
    });
    // Today's posts count, but their views are not known yet.
    expect(await metricsOf(2)).toMatchObject({
      ...{ statistics_until: "2026-11-20", posts_30d: 4, ads_30d: 4, reach_30d: 37_000 },
    });
    expect(await metricsOf(3)).toMatchObject({
      ...{ statistics_until: null, posts_30d: 3, ads_30d: 3, ad_reach_48h_posts: 3 },
      ...mean(1000 + 10_000 + 100_000, 3),
    });
  });

  test("counts posts with unknown views as posts, but not in the reach", async () => {
    await imported(appliance, "channels", [channel(1, { subscribers: 1000 })]);
    await posts(1, [
      { published_at: "2026-11-10T12:00:00+03:00" },
      { published_at: "2026-11-11T12:00:00+03:00", views: 300 },
      {
        published_at: "2026-11-12T12:00:00+03:00",
        views: 0,
        views_at: "2026-11-12T13:00:00+03:00",
      },
    ]);
    await compute();
    expect(await metricsOf(1)).toMatchObject({ posts_30d: 3, reach_30d: 150, err_30d: 15 });
  });

  test("is 0 posts if all are older or newer, and null if none are stored at all", async () => {
    await imported(appliance, "channels", [channel(1), channel(2), channel(3)]);
    await posts(1, [{ published_at: "2026-01-10T12:00:00+03:00", views: 5 }]);
    await posts(2, [{ published_at: "2026-11-20T01:00:00+03:00", views: 5 }]);
    await compute();
    for (const id of [1, 2]) {
      expect(await metricsOf(id)).toEqual({
        ...NOTHING_KNOWN,
        ...NOT_READ_BY_AGE,
        posts_30d: 0,
        ads_30d: 0,
      });
    }
    expect(await metricsOf(3)).toEqual(NOTHING_KNOWN);
  });

  test("follows edited and deleted posts, later readings and corrected days after the next night", async () => {
    await imported(appliance, "channels", [channel(1, { subscribers: 100 })]);
    const at = "2026-11-10T12:00:00+03:00";
    await posts(1, [
      { msgr_post_id: 1, published_at: at, views: 10 },
      { msgr_post_id: 2, published_at: at, views: 20, is_ad: true },
    ]);
    await readings(1, { 18: 50, 19: 100 });
    expect(await compute()).toBe(true);
    expect(await metricsOf(1)).toMatchObject({
      growth_1d: 50,
      posts_30d: 2,
      ads_30d: 1,
      reach_30d: 15,
    });
    await posts(1, [{ msgr_post_id: 1, published_at: at, views: 90, text: "edited" }]);
    const gone = [{ channel: 1, msgr_post_id: 2, published_at: at, text: "", deleted: true }];
    await imported(appliance, "posts", gone);
    await readings(1, { 18: 60 });
    expect(await metricsOf(1)).toMatchObject({ growth_1d: 50, posts_30d: 2 });
    expect(await compute()).toBe(true);
    expect(await metricsOf(1)).toMatchObject({
      growth_1d: 40,
      posts_30d: 1,
      ads_30d: 0,
      reach_30d: 90,
    });
  });

  test("knows the reach of posts and of advertising after 24 and 48 hours, and by how many posts", async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    const read = (hour: string, views: number, views_at: string, is_ad = false) => ({
      ...{ published_at: `2026-11-10T${hour}:00:00+03:00`, views, is_ad },
      views_at: `2026-11-${views_at}:00:00+03:00`,
    });
    await posts(1, [
      read("10", 100, "11T10"),
      read("11", 301, "11T12", true),
      read("12", 400, "12T13", true),
      // Read too late for a day, and too early for two.
      read("13", 999, "12T00"),
    ]);
    await posts(2, [{ published_at: "2026-11-10T12:00:00+03:00", views: 5, views_1h: 4 }]);
    await compute();
    expect(await metricsOf(1)).toMatchObject({
      ...{ reach_24h: 201, reach_24h_posts: 2, ad_reach_24h: 301, ad_reach_24h_posts: 1 },
      ...{ reach_48h: 400, reach_48h_posts: 1, ad_reach_48h: 400, ad_reach_48h_posts: 1 },
    });
    expect(await metricsOf(2)).toMatchObject({ reach_24h: null, reach_24h_posts: 0 });
  });

  test("has no ERR without subscribers", async () => {
    await imported(appliance, "channels", [channel(1, { subscribers: 0 })]);
    await posts(1, [{ published_at: "2026-11-10T12:00:00+03:00", views: 10 }]);
    await compute();
    expect(await metricsOf(1)).toMatchObject({ reach_30d: 10, err_30d: null });
  });
});

describe("a card", () => {
  test("has metrics only if requested, and otherwise keeps its bytes and ETag through the night", async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    await readings(1, { 18: 50, 19: 100 });
    const paths = ["/v1/msgr/channels/1/", "/v1/msgr/channels/", "/v1/msgr/channels/?ids=1,2"];
    const before = await Promise.all(paths.map((path) => appliance.get(path)));
    await compute();
    const after = await Promise.all(paths.map((path) => appliance.get(path)));
    for (const [at, { body, headers }] of before.entries()) {
      expect(JSON.stringify(after[at]?.body)).toBe(JSON.stringify(body));
      expect(after[at]?.headers.get("etag")).toBe(headers.get("etag"));
      expect(JSON.stringify(body)).not.toContain("metrics");
    }
    for (const path of [
      "/v1/msgr/channels/?include=metrics",
      "/v1/msgr/channels/?ids=1,2&include=metrics",
    ]) {
      const { body } = await expectOk(appliance, path);
      expect(body.results.map(({ metrics }: { metrics: object }) => metrics)).toEqual([
        { ...NOTHING_KNOWN, growth_1d: 50, statistics_until: "2026-11-19" },
        NOTHING_KNOWN,
      ]);
    }
  });

  test("has metrics together with the requested fields", async () => {
    await imported(appliance, "channels", [channel(1)]);
    for (const path of ["/v1/msgr/channels/1/", "/v1/msgr/channels/", "/v1/msgr/channels/?ids=1"]) {
      const query = `${path.includes("?") ? "&" : "?"}fields=title&include=metrics`;
      const { body } = await expectOk(appliance, `${path}${query}`);
      const [card] = body.results ?? [body];
      expect(card).toEqual({ title: "Channel 1", metrics: NOTHING_KNOWN });
    }
  });

  test("cannot include anything else", async () => {
    for (const path of ["/v1/msgr/channels/", "/v1/msgr/channels/1/"]) {
      await expectFaults(appliance, `${path}?include=posts`, {
        include: '"posts" is not a valid choice.',
      });
    }
  });
});

describe("the catalog", () => {
  const list = (query: string) => `/v1/msgr/channels/?${query}`;

  async function grown(): Promise<void> {
    await imported(appliance, "channels", [
      channel(1, { subscribers: 1000 }),
      channel(2, { subscribers: 2000 }),
      channel(3, { subscribers: 99 }),
      channel(4, { subscribers: 500 }),
      channel(5, { subscribers: 700, kind: "chat" }),
      channel(6, { subscribers: 800, is_public: false }),
    ]);
    await readings(1, { [-11]: 900, 12: 990, 19: 1000 });
    await readings(2, { [-11]: 1990, 12: 1900, 19: 2000 });
    await readings(3, { [-11]: 9, 12: 89, 19: 99 });
    await readings(5, { [-11]: 1, 12: 1, 19: 700 });
    await readings(6, { [-11]: 1, 12: 1, 19: 800 });
    const published_at = "2026-11-10T12:00:00+03:00";
    await posts(1, [{ published_at, views: 100, views_24h: 90, views_48h: 99, is_ad: true }]);
    await posts(2, [{ published_at, views: 150, views_24h: 80 }]);
    await compute();
  }

  test("can be ordered by metrics, channels without a value last, ties by number", async () => {
    await grown();
    await expectIds(appliance, list("ordering=-growth_7d"), [2, 1, 3]);
    await expectIds(appliance, list("ordering=-growth_30d"), [1, 3, 2]);
    await expectIds(appliance, list("ordering=-reach_30d"), [2, 1, 3]);
    await expectIds(appliance, list("ordering=-err_30d"), [1, 2]);
    await expectIds(appliance, list("ordering=-growth_7d&kind=chat"), [5]);
    await expectIds(appliance, list("ordering=-reach_24h"), [1, 2, 3]);
    await expectIds(appliance, list("ordering=-reach_48h&limit=2"), [1, 2]);
    await expectIds(appliance, list("ordering=-ad_reach_24h&q=channel"), [1, 2, 3]);
    await expectIds(appliance, list("ordering=-ad_reach_48h"), [1, 2, 3]);
  });

  test("leaves channels whose last reading is older than 7 days or missing out of orders by metrics, and says how many", async () => {
    await grown();
    // Channel 4 has no readings; 7 has one that is too old, 8 one that is just fresh; the chat 9 has none.
    const more = [channel(7), channel(8), channel(9, { kind: "chat" })];
    await imported(appliance, "channels", more);
    await readings(7, { [-18]: 1, 5: 500, 12: 900 });
    await readings(8, { 6: 99, 13: 100 });
    for (const id of [4, 7, 8, 9]) {
      const read = { views: 10_000, views_24h: 10_000, views_48h: 10_000, is_ad: true };
      await posts(id, [{ published_at: "2026-11-10T12:00:00+03:00", ...read }]);
    }
    await compute();
    const note = (who: string, count: number) =>
      `Left out: ${who} whose last reading of subscribers is older than 7 days or missing, ${count} in the whole catalog.`;
    const orderings = CATALOG_ORDERINGS.filter((one) => /growth|reach|err/.test(one));
    expect(orderings).toHaveLength(9);
    for (const ordering of orderings) {
      for (const filter of [
        "",
        "&q=channel",
        "&subscribers_min=0",
        "&reach_30d_min=0",
        "&limit=1",
      ]) {
        const path = list(`ordering=${ordering}${filter}`);
        const { body } = await expectOk(appliance, path);
        expect([path, body.note]).toEqual([path, note("channels", 2)]);
        const found = (await pagesOf(appliance, path)).flat();
        expect([path, found.includes(8), found.includes(4), found.includes(7)]).toEqual([
          path,
          true,
          false,
          false,
        ]);
      }
      const chats = await expectOk(appliance, list(`ordering=${ordering}&kind=chat`));
      expect([idsOf(chats), chats.body.note]).toEqual([[5], note("chats", 1)]);
    }
    // Filters alone leave nobody out, and no other ordering has a note.
    await expectIds(appliance, list("reach_30d_min=10000"), [7, 8, 4]);
    await expectIds(appliance, list("ad_reach_48h_min=10000&ordering=-quality"), [4, 7, 8]);
    expect((await expectOk(appliance, list("ordering=-quality"))).body.note).toBeUndefined();
    // A night later channel 8 is too old as well, though nothing was imported.
    appliance.ports.clock.set("2026-11-21T12:00:00+03:00");
    await compute();
    const later = await expectOk(appliance, list("ordering=-reach_30d"));
    expect([idsOf(later), later.body.note]).toEqual([[2, 1, 3], note("channels", 3)]);
    // The number follows hidden channels as well, which change no metrics.
    await imported(appliance, "channels", [channel(4, { subscribers: 500, is_public: false })]);
    expect(await compute()).toBe(false);
    const hidden = await expectOk(appliance, list("ordering=-reach_30d"));
    expect(hidden.body.note).toBe(note("channels", 2));
  });

  test("forgets a deleted channel in every order", async () => {
    await grown();
    const { db, channels } = appliance.app.domains;
    await posts(3, [{ published_at: "2026-11-10T12:00:00+03:00", views: 95 }]);
    await compute();
    const listed = async (ordering: string) =>
      (await pagesOf(appliance, list(`ordering=${ordering}&limit=100`))).flat();
    for (const gone of [1, 3]) {
      const before = await listed("-growth_30d");
      expect(before).toContain(gone);
      await channels.delete(gone, COMMAND_LINE);
      for (const slot of [0, 1]) {
        const rows = "SELECT 1 FROM channel_metrics WHERE slot = ? AND id = ?";
        expect(db.prepare(rows).all(slot, gone)).toEqual([]);
      }
      expect(await listed("-growth_30d")).toEqual(before.filter((id) => id !== gone));
    }
  });

  test("omits channels under 100 subscribers from orders by percentage, but not from filters", async () => {
    await grown();
    await posts(3, [{ published_at: "2026-11-10T12:00:00+03:00", views: 95 }]);
    await compute();
    await expectIds(appliance, list("ordering=-err_30d"), [1, 2]);
    await expectIds(appliance, list("ordering=-err_30d&q=channel"), [1, 2]);
    await expectIds(appliance, list("ordering=-err_30d&err_30d_min=5"), [1, 2]);
    await expectIds(appliance, list("err_30d_min=9.5"), [1, 3]);
    await expectIds(appliance, list("err_30d_min=7.5&ordering=-reach_30d"), [2, 1, 3]);
    await expectIds(appliance, list("ordering=-growth_30d_percent"), [1, 2]);
    await expectIds(appliance, list("ordering=-growth_30d_percent&q=channel"), [1, 2]);
  });

  test("can be filtered by metrics, in any order, with any other filter", async () => {
    await grown();
    await expectIds(appliance, list("growth_30d_min=90"), [1, 3]);
    await expectIds(appliance, list("growth_30d_min=90&ordering=-growth_30d"), [1, 3]);
    await expectIds(appliance, list("growth_30d_min=90&q=channel&subscribers_min=100"), [1]);
    await expectIds(appliance, list("reach_30d_min=150"), [2]);
    await expectIds(appliance, list("reach_24h_min=80"), [2, 1]);
    await expectIds(appliance, list("reach_24h_min=81&ordering=-reach_30d"), [1]);
    await expectIds(appliance, list("ad_reach_24h_min=90&reach_48h_min=99"), [1]);
    await expectIds(appliance, list("ad_reach_48h_min=100&q=channel"), []);
    await expectIds(appliance, list("err_30d_min=7.5"), [2, 1]);
    await expectIds(appliance, list("err_30d_min=7.51&ordering=-growth_7d"), [1]);
    await expectIds(appliance, list("growth_30d_min=-5&reach_30d_min=0&ordering=-quality"), [1, 2]);
    await expectFaults(appliance, list("growth_30d_min=1.5&reach_30d_min=-1&err_30d_min=many"), {
      growth_30d_min: "A valid integer is required.",
      reach_30d_min: "Ensure this value is greater than or equal to 0.",
      err_30d_min: "A valid number is required.",
    });
  });

  test("continues from a cursor after a night: channels that did not change are listed once", async () => {
    await imported(
      appliance,
      "channels",
      [1, 2, 3, 4, 5, 6].map((id) => channel(id)),
    );
    for (const id of [1, 2, 3, 4, 5]) await readings(id, { 12: 100, 19: 200 - id });
    await compute();
    const first = await expectOk(appliance, list("ordering=-growth_7d&limit=2&include=metrics"));
    expect(idsOf(first)).toEqual([1, 2]);
    // Channel 4 moves before the end of the first page, channel 1 after it.
    await readings(4, { 19: 300 });
    await readings(1, { 19: 110 });
    await compute();
    const second = await expectOk(appliance, pathOfNext(first.body.next));
    expect(idsOf(second)).toEqual([3, 5]);
    expect(second.body.results[0].metrics.growth_7d).toBe(97);
    expect(idsOf(await expectOk(appliance, pathOfNext(second.body.next)))).toEqual([1]);
  });

  test("leaves out channels that were imported or changed their kind since the night", async () => {
    await grown();
    await imported(appliance, "channels", [channel(7), channel(1, { kind: "chat" })]);
    await expectIds(appliance, list("ordering=-growth_7d"), [2, 3]);
    await expectIds(appliance, list("ordering=-growth_7d&kind=chat"), [5]);
    await expectIds(appliance, list("ordering=-growth_7d&kind=chat&q=channel"), [5]);
    expect(await metricsOf(1)).toEqual(NOTHING_KNOWN);
    await compute();
    await expectIds(appliance, list("ordering=-growth_30d&kind=chat"), [5, 1]);
    await expectIds(appliance, list("ordering=-growth_30d"), [3, 2]);
  });
});

test("the nightly job computes metrics at 00:50, after the previous day was closed", async () => {
  await imported(appliance, "channels", [channel(1)]);
  await readings(1, { 19: 900 });
  await posts(1, [{ published_at: "2026-11-20T10:00:00+03:00", views: 10 }]);
  const { clock } = appliance.ports;
  await appliance.app.scheduler.runDue();
  clock.set("2026-11-21T00:49:59+03:00");
  await appliance.app.scheduler.runDue();
  expect(await metricsOf(1)).toEqual(NOTHING_KNOWN);
  clock.set("2026-11-21T00:50:30+03:00");
  await appliance.app.scheduler.runDue();
  expect(await metricsOf(1)).toMatchObject({
    ...{ growth_1d: 100, statistics_until: "2026-11-20", posts_30d: 1, reach_30d: 10 },
  });
});
