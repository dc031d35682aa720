import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeDay } from "../../../src/catalog/statistics/open-days.ts";
import { parseDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.app.scheduler.runDue();
  appliance.ports.clock.set("2026-11-21T00:05:00+03:00");
  await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 10 },
    { id: 2, title: "B", subscribers: 20, kind: "chat" },
    { id: 3, title: "Скрытый", subscribers: 30, is_public: false },
    { id: 4, title: "D", subscribers: 40 },
  ]);
  await appliance.importRows("posts", [
    { id: 1, channel: 1, views: 1, published_at: "2026-11-19T23:59:59.999+03:00" },
    { id: 2, channel: 1, views: 10, published_at: "2026-11-20T00:00:00+03:00" },
    { id: 3, channel: 1, views: 100, published_at: "2026-11-20T23:59:59.999+03:00" },
    { id: 4, channel: 1, views: 1000, published_at: "2026-11-21T00:00:00+03:00" },
    { id: 5, channel: 3, views: 5, published_at: "2026-11-20T12:00:00+03:00" },
    { id: 6, channel: 4, views: 7, published_at: "2026-11-20T12:00:00+03:00" },
  ]);
  await appliance.importRows("stats", [
    { channel: 4, day: "2026-11-20", subscribers: 4, views: 5, posts: 6 },
  ]);
});
afterEach(() => appliance.close());

const stored = () =>
  appliance.app.domains.db
    .prepare("SELECT channel_id, subscribers, views, posts FROM daily_statistics WHERE day = ?")
    .all(parseDay("2026-11-20"));

const CLOSED = [
  { channel_id: 1, subscribers: 10, views: 110, posts: 2 },
  { channel_id: 2, subscribers: 20, views: 0, posts: 0 },
  { channel_id: 4, subscribers: 4, views: 5, posts: 6 },
];

test("the nightly job closes the day that ended: each public channel without an imported row gets one", async () => {
  appliance.ports.clock.set("2026-11-21T00:10:30+03:00");
  await appliance.app.scheduler.runDue();
  expect(stored()).toEqual(CLOSED);
  const { results } = (
    await appliance.get("/v1/msgr/stats/daily/?channels=1,2,3,4&from=2026-11-20&to=2026-11-20")
  ).body;
  expect(results.map(({ channel }: { channel: number }) => channel)).toEqual([1, 2, 4]);
  expect(appliance.ports.log.errors).toEqual([]);
});

test("closing a day twice changes nothing more", async () => {
  const { db } = appliance.app.domains;
  const day = parseDay("2026-11-20") ?? 0;
  expect(await closeDay(db, appliance.ports.clock, day)).toBe(2);
  await appliance.importRows("channels", [{ id: 1, subscribers: 99 }]);
  expect(await closeDay(db, appliance.ports.clock, day)).toBe(0);
  expect(stored()).toEqual(CLOSED);
});

test("a row imported later replaces the closed one", async () => {
  const { db } = appliance.app.domains;
  await closeDay(db, appliance.ports.clock, parseDay("2026-11-20") ?? 0);
  const summary = await appliance.importRows("stats", [
    { channel: 1, day: "2026-11-20", subscribers: 12, views: 13, posts: 14 },
  ]);
  expect(summary.updated).toBe(1);
  expect(stored()).toContainEqual({ channel_id: 1, subscribers: 12, views: 13, posts: 14 });
});

test("more channels than one transaction processes are all closed", async () => {
  await appliance.importRows(
    "channels",
    Array.from({ length: 1200 }, (_, at) => ({
      id: 1000 + at * 3,
      title: `T${at}`,
      subscribers: at,
    })),
  );
  const made = await closeDay(
    appliance.app.domains.db,
    appliance.ports.clock,
    parseDay("2026-11-20") ?? 0,
  );
  expect(made).toBe(1202);
});

test("the nightly recount counts both directories at 03:00", async () => {
  await appliance.importRows("channels", [
    { id: 1, category: "auto", categories: ["blogs"] },
    { id: 2, category: "blogs" },
    { id: 3, category: "auto" },
  ]);
  // As an import killed before it has counted leaves them.
  appliance.app.domains.db.prepare("UPDATE categories SET channels = 7").run();
  appliance.ports.clock.set("2026-11-21T02:59:59+03:00");
  await appliance.app.scheduler.runDue();
  const counts = async () => {
    const { results } = (await appliance.get("/v1/msgr/categories/")).body;
    return results
      .filter(({ slug }: { slug: string }) => slug === "auto" || slug === "blogs")
      .map(({ slug, channels }: { slug: string; channels: number }) => [slug, channels]);
  };
  expect(await counts()).toEqual([
    ["auto", 7],
    ["blogs", 7],
  ]);
  appliance.ports.clock.set("2026-11-21T03:00:30+03:00");
  await appliance.app.scheduler.runDue();
  expect(await counts()).toEqual([
    ["auto", 1],
    ["blogs", 2],
  ]);
});

test("days that ended during a downtime get no row, because nobody read the subscribers, except for the last one", async () => {
  appliance.ports.clock.set("2026-11-21T00:10:30+03:00");
  await appliance.app.scheduler.runDue();
  appliance.ports.clock.set("2026-11-25T09:00:00+03:00");
  await appliance.app.scheduler.runDue();
  const { body } = await appliance.get("/v1/msgr/stats/daily/?channels=2&from=2026-11-19");
  expect(body.results).toEqual([
    { channel: 2, day: "2026-11-20", subscribers: 20, views: 0, posts: 0 },
    { channel: 2, day: "2026-11-24", subscribers: 20, views: 0, posts: 0 },
  ]);
});
