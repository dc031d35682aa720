import { afterEach, beforeEach, expect, test } from "bun:test";
import { imported } from "../../support/expectations.ts";
import { importText } from "../../support/import-text.ts";
import { mcpRequests } from "../../support/mcp-requests.ts";
import { MINUTE_MS, type Pushing, postsSent, startPushing } from "../../support/pushing.ts";

/** A post that is taken down is nowhere any more, and stays so. */

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const AT = "2026-11-20T07:00:00Z";
const POST = { channel: 1, msgr_post_id: "7", text: "Пост", published_at: AT };

const posts = (rows: Record<string, unknown>[]) => imported(pushing.appliance, "posts", rows);
const counts = async (row: Record<string, unknown>) => {
  const { inserted, updated, unchanged, rejected } = await pushing.appliance.importRows("posts", [
    row,
  ]);
  return { inserted, updated, unchanged, rejected };
};
const NOTHING = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 };
const get = (path: string) => pushing.appliance.get(path);
const status = async (id: number) => (await get(`/v1/msgr/posts/${id}/`)).status;
const listed = async (channelId: number) =>
  (await get(`/v1/msgr/channels/${channelId}/posts/`)).body.results.map(
    ({ id }: { id: number }) => id,
  );

for (const [named, row] of [
  ["its number", { id: 5, deleted: true }],
  ["channel and msgr_post_id", { channel: "@one", msgr_post_id: 7, deleted: true }],
] as const) {
  test(`a post that a row takes down by ${named} is a 404 and in no list`, async () => {
    await imported(pushing.appliance, "channels", [{ id: 1, handle: "one" }]);
    await posts([
      { ...POST, id: 5 },
      { id: 6, channel: 1, published_at: AT },
    ]);
    expect(await counts(row)).toEqual({ ...NOTHING, updated: 1 });
    expect(await status(5)).toBe(404);
    expect(await listed(1)).toEqual([6]);
    expect(await counts(row)).toEqual({ ...NOTHING, unchanged: 1 });
  });
}

test("an assistant finds it no more either", async () => {
  const { key } = pushing.customer;
  const mcp = mcpRequests(pushing.appliance, key);
  const found = async () =>
    JSON.stringify((await mcp.call("msgr_channels_posts_retrieve", { channel: "1" })).body);
  await posts([{ ...POST, id: 5 }]);
  expect(await found()).toContain("Пост");
  await posts([{ id: 5, deleted: true }]);
  expect(await found()).not.toContain("Пост");
  const { body } = await mcp.call("msgr_posts_retrieve", { id: 5 });
  expect(JSON.stringify(body)).toContain("not_found");
});

test("deleted is a column of CSV, where an empty cell takes nothing down", async () => {
  await posts([
    { ...POST, id: 5 },
    { id: 6, channel: 1, published_at: AT },
  ]);
  const csv = "id,deleted\n5,yes\n6,\n";
  expect(await importText(pushing.appliance, "posts", csv)).toMatchObject({
    ...{ updated: 1, unchanged: 1, rejected: 0 },
  });
  expect(await listed(1)).toEqual([6]);
});

test("text, link and media are gone from the database, and the identity is kept", async () => {
  await posts([
    { ...POST, id: 5, text: "secret-text", link: "https://t.me/one/7", media: "photo" },
  ]);
  await posts([{ id: 5, deleted: true }]);
  const { db } = pushing.appliance.app.domains;
  expect(db.prepare("SELECT * FROM posts").all()).toEqual([]);
  expect(db.prepare("SELECT * FROM post_tombstones").all()).toEqual([
    { id: 5, channel_id: 1, msgr_post_id: 7, deleted_at: pushing.now() },
  ]);
});

test("a later import does not revive it, by either identity, and is counted as unchanged", async () => {
  await posts([{ ...POST, id: 5 }]);
  await posts([{ id: 5, deleted: true }]);
  for (const row of [POST, { ...POST, id: 5 }, { id: 5, text: "again" }]) {
    expect(await counts(row)).toEqual({ ...NOTHING, unchanged: 1 });
  }
  expect(await status(5)).toBe(404);
  const { rejects } = await pushing.appliance.importRows("posts", [{ ...POST, id: 9 }]);
  expect(rejects).toMatchObject([
    { column: "msgr_post_id", reason: "Post 5 of the channel has this number." },
  ]);
});

test("deleted=false revives it under its old number, with what the row gives", async () => {
  await posts([{ ...POST, id: 5, views: 40 }]);
  await posts([{ id: 5, deleted: true }]);
  expect(await counts({ ...POST, text: "back", deleted: false })).toEqual({
    ...NOTHING,
    inserted: 1,
  });
  const { body } = await get("/v1/msgr/posts/5/");
  expect(body).toMatchObject({ id: 5, text: "back", msgr_post_id: "7", views: 0 });
  expect(await counts({ ...POST, text: "back" })).toEqual({ ...NOTHING, unchanged: 1 });

  await posts([{ id: 5, deleted: true }]);
  const { rejects } = await pushing.appliance.importRows("posts", [{ id: 5, deleted: false }]);
  expect(rejects).toMatchObject([{ column: "published_at", reason: "This field is required." }]);
  expect(await counts({ id: 5, published_at: AT, deleted: false })).toMatchObject({ inserted: 1 });
  expect((await get("/v1/msgr/posts/5/")).body).toMatchObject({ channel: 1, msgr_post_id: "7" });
});

test("a row that takes down a post never imported keeps it out", async () => {
  expect(await counts({ channel: 1, msgr_post_id: 7, deleted: true })).toEqual({
    ...NOTHING,
    inserted: 1,
  });
  expect(await counts(POST)).toEqual({ ...NOTHING, unchanged: 1 });
  expect(await listed(1)).toEqual([]);
});

test("the number of a post that was taken down is never given to another", async () => {
  const chosen = async (msgr_post_id: number): Promise<number> => {
    await posts([{ ...POST, msgr_post_id }]);
    return (await listed(1))[0];
  };
  const last = await chosen(1);
  await posts([{ id: last, deleted: true }]);
  expect(await chosen(2)).toBe(last + 1);
  // Not even once its tombstone is gone, with its channel say.
  const { db } = pushing.appliance.app.domains;
  await posts([{ id: last + 1, deleted: true }]);
  db.exec("DELETE FROM post_tombstones");
  expect(await chosen(3)).toBe(last + 2);
});

test("last_post_at goes back to the post before, or to none", async () => {
  const last = async () => (await get("/v1/msgr/channels/1/")).body.last_post_at;
  await posts([
    { id: 1, channel: 1, published_at: "2026-11-18T10:00:00+03:00" },
    { id: 2, channel: 1, published_at: "2026-11-19T10:00:00+03:00" },
  ]);
  await posts([{ id: 2, deleted: true }]);
  expect(await last()).toBe("2026-11-18T10:00:00+03:00");
  await posts([{ id: 1, deleted: true }]);
  expect(await last()).toBeNull();
});

test("a post that is taken down before its event is cut is not sent", async () => {
  await pushing.read([1, 2]);
  await posts([{ id: 1, deleted: true }]);
  await pushing.pass(MINUTE_MS);
  expect(postsSent(pushing)).toEqual([[2]]);
});

test("neither an edit, nor taking down, nor reviving is pushed", async () => {
  await pushing.send([1]);
  const publishedAt = new Date(pushing.now() - MINUTE_MS).toISOString();
  await posts([{ id: 1, text: "edited", edited_at: publishedAt }]);
  await pushing.pass(MINUTE_MS);
  await posts([{ id: 1, deleted: true }]);
  await pushing.pass(MINUTE_MS);
  await posts([{ id: 1, channel: 1, published_at: publishedAt, deleted: false }]);
  await pushing.pass(MINUTE_MS);
  expect(postsSent(pushing)).toEqual([[1]]);
  expect(await status(1)).toBe(200);
});

test("a channel's row still counts what is there after many are taken down in one file", async () => {
  const rows = Array.from({ length: 300 }, (_, at) => ({
    ...{ id: at + 1, channel: 1 + (at % 2), msgr_post_id: at, published_at: AT },
  }));
  await posts(rows);
  const { updated } = await pushing.appliance.importRows(
    "posts",
    rows.filter(({ id }) => id > 4).map(({ id }) => ({ id, deleted: true })),
  );
  expect(updated).toBe(296);
  expect(await listed(1)).toEqual([3, 1]);
  expect(await listed(2)).toEqual([4, 2]);
});
