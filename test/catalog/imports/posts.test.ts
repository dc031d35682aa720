import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { NOT_GIVEN } from "../../support/expectations.ts";
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

const post = async (id: number) => (await appliance.get(`/v1/msgr/posts/${id}/`)).body;
const lastPostAt = async (channel: number) =>
  (await appliance.get(`/v1/msgr/channels/${channel}/`)).body.last_post_at;

test("a new post needs a channel and a time; views are then 0 and is_ad false", async () => {
  const summary = await appliance.importRows("posts", [
    { id: 5, channel: 1, published_at: "2026-11-20T10:00:00+03:00" },
  ]);
  expect(counts(summary)).toEqual({ read: 1, inserted: 1, updated: 0, unchanged: 0, rejected: 0 });
  expect(await post(5)).toEqual({
    ...{ id: 5, channel: 1, text: "", views: 0, is_ad: false, link: null },
    published_at: "2026-11-20T10:00:00+03:00",
    ...NOT_GIVEN,
  });
  const { rejects } = await appliance.importRows("posts", [
    { id: 6, published_at: "2026-11-20T10:00:00+03:00" },
    { id: 7, channel: 1 },
    { channel: 1, published_at: "2026-11-20T10:00:00+03:00" },
    { channel: "@nobody", msgr_post_id: 1, published_at: "2026-11-20T10:00:00+03:00" },
    { id: 8, channel: 99, published_at: "2026-11-20T10:00:00+03:00" },
    { id: 9, channel: "one two", published_at: "2026-11-20T10:00:00+03:00" },
  ]);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "channel"],
    [2, "published_at"],
    [3, "id"],
    [4, "channel"],
    [5, "channel"],
    [6, "channel"],
  ]);
});

test("a post is identified by id, or else by channel and msgr_post_id", async () => {
  const at = "2026-11-20T07:00:00Z";
  await appliance.importRows("posts", [
    { id: 5, channel: 1, msgr_post_id: 100, published_at: at, text: "first" },
    { channel: "@TWO", msgr_post_id: 100, published_at: at, text: "of two" },
  ]);
  const summary = await appliance.importRows("posts", [
    { id: 5, text: "by id" },
    { channel: "@two", msgr_post_id: 100, views: 7 },
  ]);
  expect(summary.updated).toBe(2);
  expect((await post(5)).text).toBe("by id");
  const { results } = (await appliance.get("/v1/msgr/channels/2/posts/")).body;
  expect(results).toMatchObject([{ text: "of two", views: 7, channel: 2 }]);

  const { rejects } = await appliance.importRows("posts", [
    { id: 6, channel: 1, msgr_post_id: 100, published_at: at },
  ]);
  expect(rejects).toMatchObject([{ line: 1, column: "msgr_post_id" }]);
  expect(rejects[0]?.reason).toContain("Post 5");
});

test("importing the same rows again leaves all unchanged, and edits keep the time of the first import", async () => {
  const rows = [
    { id: 5, channel: 1, msgr_post_id: 1, text: "x", published_at: "2026-11-20T07:00:00.5Z" },
    {
      channel: 2,
      msgr_post_id: 2,
      text: "y\nz",
      published_at: "2026-11-20T08:00:00Z",
      is_ad: "yes",
    },
  ];
  expect((await appliance.importRows("posts", rows)).inserted).toBe(2);
  const readAt = () =>
    appliance.app.domains.db.prepare("SELECT id, read_at FROM posts ORDER BY id").all();
  const before = readAt();
  appliance.ports.clock.advance(60_000);
  expect((await appliance.importRows("posts", rows)).unchanged).toBe(2);
  await appliance.importRows("posts", [{ id: 5, text: "edited" }]);
  expect(readAt()).toEqual(before);
  expect(before).toContainEqual({ id: 5, read_at: Date.parse("2026-11-20T12:00:00+03:00") });
});

test("null clears a link and a msgr_post_id, and counts as not given for other columns", async () => {
  const row = {
    ...{ id: 5, channel: 1, msgr_post_id: 3, text: "x", views: 4, is_ad: true },
    ...{ published_at: "2026-11-20T07:00:00Z", link: "https://t.me/one/3" },
  };
  await appliance.importRows("posts", [row]);
  const names = Object.keys(row);
  const empty = `${names.join(",")}\n5${",".repeat(names.length - 1)}\n`;
  expect((await importText(appliance, "posts", empty)).unchanged).toBe(1);

  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  expect((await appliance.importRows("posts", [{ ...nulls, id: 5 }])).updated).toBe(1);
  expect(await post(5)).toMatchObject({ text: "x", views: 4, is_ad: true, link: null, channel: 1 });
  // The id is free again.
  const again = await appliance.importRows("posts", [
    { id: 6, channel: 1, msgr_post_id: 3, published_at: "2026-11-20T07:00:00Z" },
  ]);
  expect(again.inserted).toBe(1);
});

test("last_post_at follows the newest post, in whatever order rows come", async () => {
  await appliance.importRows("posts", [
    { id: 1, channel: 1, published_at: "2026-11-18T10:00:00+03:00" },
    { id: 2, channel: 1, published_at: "2026-11-19T10:00:00+03:00" },
    { id: 3, channel: 1, published_at: "2026-11-17T10:00:00+03:00" },
  ]);
  expect(await lastPostAt(1)).toBe("2026-11-19T10:00:00+03:00");
  expect(await lastPostAt(2)).toBeNull();
  await appliance.importRows("posts", [
    { id: 4, channel: 1, published_at: "2026-11-16T10:00:00+03:00" },
  ]);
  expect(await lastPostAt(1)).toBe("2026-11-19T10:00:00+03:00");
  await appliance.importRows("posts", [{ id: 4, published_at: "2026-11-20T10:00:00+03:00" }]);
  expect(await lastPostAt(1)).toBe("2026-11-20T10:00:00+03:00");
  const catalog = await appliance.get("/v1/msgr/channels/?ordering=-last_post_at");
  expect(catalog.body.results.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
});

test("a rejected row does not affect the good ones around it, nor what is derived from them", async () => {
  const { inserted, rejects } = await appliance.importRows("posts", [
    { id: 1, channel: 1, published_at: "2026-11-18T10:00:00+03:00" },
    { id: 2, channel: 1, published_at: "2025-02-29T10:00:00+03:00" },
    { id: 3, channel: 1, published_at: "2026-11-19T10:00:00+03:00", views: -1 },
    { id: 4, channel: 2, published_at: "2026-11-18T11:00:00+03:00", link: "no address" },
    { id: 5, channel: 2, published_at: "2026-11-18T12:00:00+03:00" },
  ]);
  expect(inserted).toBe(2);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [2, "published_at"],
    [3, "views"],
    [4, "link"],
  ]);
  expect(await lastPostAt(1)).toBe("2026-11-18T10:00:00+03:00");
  expect(await lastPostAt(2)).toBe("2026-11-18T12:00:00+03:00");
});

test("importing a channel's row again does not set last_post_at before its newest post", async () => {
  const row = { id: 1, last_post_at: "2026-11-01T00:00:00+03:00" };
  await appliance.importRows("channels", [row]);
  expect(await lastPostAt(1)).toBe("2026-11-01T00:00:00+03:00");
  await appliance.importRows("posts", [
    { id: 1, channel: 1, published_at: "2026-11-19T10:00:00+03:00" },
  ]);
  const again = await appliance.importRows("channels", [row]);
  expect(await lastPostAt(1)).toBe("2026-11-19T10:00:00+03:00");
  expect(again.unchanged).toBe(1);
});
