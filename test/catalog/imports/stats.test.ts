import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { counts, importText } from "../../support/import-text.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("channels", [
    { id: 1, handle: "one", title: "A", subscribers: 10 },
    { id: 2, handle: "two", title: "B", subscribers: 20 },
  ]);
});
afterEach(() => appliance.close());

const days = async (channels = "1,2") =>
  (await appliance.get(`/v1/msgr/stats/daily/?channels=${channels}&from=2026-11-01&to=2026-11-20`))
    .body.results;

test("a row is identified by channel and day, and the channel by number or handle", async () => {
  const first = await appliance.importRows("stats", [
    { channel: 1, day: "2026-11-10", subscribers: 5, views: 6, posts: 7 },
    { channel: "@Two", day: "2026-11-10", subscribers: 8, views: 9, posts: 1 },
    { channel: "1", day: "2026-11-11", subscribers: 5 },
  ]);
  expect(counts(first)).toEqual({ read: 3, inserted: 3, updated: 0, unchanged: 0, rejected: 0 });
  const second = await appliance.importRows("stats", [
    { channel: "@one", day: "2026-11-10", subscribers: 50 },
    { channel: 2, day: "2026-11-10", views: 90 },
  ]);
  expect(second.updated).toBe(2);
  expect(await days()).toEqual([
    { channel: 1, day: "2026-11-10", subscribers: 50, views: 6, posts: 7 },
    { channel: 1, day: "2026-11-11", subscribers: 5, views: 0, posts: 0 },
    { channel: 2, day: "2026-11-10", subscribers: 8, views: 90, posts: 1 },
  ]);
});

test("importing the same rows again leaves all unchanged", async () => {
  const rows = [
    { channel: 1, day: "2026-11-10", subscribers: 5, views: 6, posts: 7 },
    { channel: "@two", day: "2026-11-10", subscribers: 5 },
  ];
  expect((await appliance.importRows("stats", rows)).inserted).toBe(2);
  expect((await appliance.importRows("stats", rows)).unchanged).toBe(2);
});

test("each of many rows has the result it would have alone: new, stored, repeated or wrong", async () => {
  await appliance.importRows("stats", [
    { channel: 1, day: "2026-02-10", subscribers: 140, views: 0, posts: 0 },
    { channel: 1, day: "2026-03-10", subscribers: 1, views: 0, posts: 0 },
  ]);
  const start = Date.UTC(2026, 0, 1);
  const rows = Array.from({ length: 400 }, (_, at) => {
    const day = new Date(start + (at % 300) * 86_400_000).toISOString().slice(0, 10);
    return { channel: 1, day, subscribers: at < 300 ? 100 + at : 400 + at, views: 0, posts: 0 };
  });
  const wrong = [
    { ...rows[0], day: "2026-02-29" },
    { ...rows[0], channel: 9 },
    { channel: 1, day: "2025-01-01", views: 1, posts: 1 },
  ];
  const [first = [], rest = []] = [rows.slice(0, 120), rows.slice(120)];
  const summary = await appliance.importRows("stats", [...first, ...wrong, ...rest]);
  // One of the two stored days is the same; a hundred days come again with other values.
  expect(counts(summary)).toEqual({
    ...{ read: 403, inserted: 298, updated: 101, unchanged: 1, rejected: 3 },
  });
  expect(summary.rejects.map(({ line, column }) => [line, column])).toEqual([
    [121, "day"],
    [122, "channel"],
    [123, "subscribers"],
  ]);
  const stored = appliance.app.domains.db
    .prepare("SELECT subscribers FROM daily_statistics ORDER BY day")
    .raw()
    .all()
    .flat();
  expect(stored).toEqual(Array.from({ length: 300 }, (_, at) => (at < 100 ? 700 + at : 100 + at)));
});

test("views and posts that are not given are derived from the stored posts of the Moscow day", async () => {
  await appliance.importRows("posts", [
    { id: 1, channel: 1, views: 1, published_at: "2026-11-09T23:59:59.999+03:00" },
    { id: 2, channel: 1, views: 10, published_at: "2026-11-10T00:00:00+03:00" },
    { id: 3, channel: 1, views: 100, published_at: "2026-11-10T23:59:59.999+03:00" },
    { id: 4, channel: 1, views: 1000, published_at: "2026-11-11T00:00:00+03:00" },
    { id: 5, channel: 2, views: 5, published_at: "2026-11-10T12:00:00+03:00" },
  ]);
  await appliance.importRows("stats", [
    { channel: 1, day: "2026-11-09", subscribers: 5, views: 77, posts: null },
    { channel: 1, day: "2026-11-10", subscribers: 5 },
    { channel: 1, day: "2026-11-11", subscribers: 5, posts: 33 },
  ]);
  expect(await days("1")).toEqual([
    { channel: 1, day: "2026-11-09", subscribers: 5, views: 77, posts: 1 },
    { channel: 1, day: "2026-11-10", subscribers: 5, views: 110, posts: 2 },
    { channel: 1, day: "2026-11-11", subscribers: 5, views: 1000, posts: 33 },
  ]);
});

test("empty cells and null leave the stored values", async () => {
  await appliance.importRows("stats", [
    { channel: 1, day: "2026-11-10", subscribers: 5, views: 6, posts: 7 },
  ]);
  const cells = "channel,day,subscribers,views,posts\n1,2026-11-10,,,\n";
  expect((await importText(appliance, "stats", cells)).unchanged).toBe(1);
  const nulls = { subscribers: null, views: null, posts: null };
  const summary = await appliance.importRows("stats", [
    { channel: 1, day: "2026-11-10", ...nulls },
  ]);
  expect(summary.unchanged).toBe(1);
});

test("a row without channel, day or subscribers is rejected, and so is a wrong value", async () => {
  const good = { channel: 1, day: "2026-11-10", subscribers: 5 };
  const { rejects, inserted } = await appliance.importRows("stats", [
    { day: "2026-11-10", subscribers: 5 },
    { channel: 1, subscribers: 5 },
    { channel: 1, day: "2026-11-10" },
    { ...good, channel: 3 },
    { ...good, channel: "@three" },
    { ...good, day: "2026-02-29" },
    { ...good, day: "10/11/2026" },
    { ...good, day: 20260101 },
    { ...good, views: "many" },
    { ...good, posts: -1 },
    good,
  ]);
  expect(inserted).toBe(1);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "channel"],
    [2, "day"],
    [3, "subscribers"],
    [4, "channel"],
    [5, "channel"],
    [6, "day"],
    [7, "day"],
    [8, "day"],
    [9, "views"],
    [10, "posts"],
  ]);
  expect(rejects[5]?.reason).toBe(
    "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
  );
});
