import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Part } from "../../../src/push/webhooks/events/cut-events.ts";
import { cutPart, endPart, startDueWork } from "../../../src/push/webhooks/events/due-work.ts";
import { imported } from "../../support/expectations.ts";
import { importText } from "../../support/import-text.ts";
import { mcpRequests } from "../../support/mcp-requests.ts";
import { DAY_MS, MINUTE_MS, type Pushing, postsSent, startPushing } from "../../support/pushing.ts";

/** A post that is taken down disappears everywhere, and stays away. */

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
  test(`a post that a row takes down by ${named} is answered with 404 and is in no list`, async () => {
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

test("a post that is imported and taken down in one transaction is not found", async () => {
  const search = "/v1/msgr/posts/search/?q=пост";
  await posts([{ ...POST, id: 5 }]);
  expect((await get(search)).body.matches).toBe(1);
  await posts([
    { ...POST, id: 6, msgr_post_id: "8" },
    { ...POST, id: 5, text: "Пост другой" },
    { id: 6, deleted: true },
    { id: 5, deleted: true },
  ]);
  expect((await get(search)).body).toMatchObject({ matches: 0, results: [] });
});

test("assistants do not find a post that was taken down", async () => {
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

test("an empty cell in the CSV column deleted takes nothing down", async () => {
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

test("text, link and media are removed from the database, and the identity is kept", async () => {
  await posts([
    { ...POST, id: 5, text: "secret-text", link: "https://t.me/one/7", media: "photo" },
  ]);
  await pushing.pass(MINUTE_MS);
  await posts([{ id: 5, deleted: true }]);
  const { db } = pushing.appliance.app.domains;
  expect(db.prepare("SELECT * FROM posts").all()).toEqual([]);
  expect(db.prepare("SELECT * FROM post_tombstones").all()).toEqual([
    {
      ...{ id: 5, channel_id: 1, msgr_post_id: 7, deleted_at: pushing.now() },
      published_at: Date.parse(POST.published_at),
    },
  ]);
});

test("a later row of the post, by either identity, does not restore it and counts as unchanged", async () => {
  await posts([{ ...POST, id: 5 }]);
  await posts([{ id: 5, deleted: true }]);
  for (const row of [POST, { ...POST, id: 5 }, { id: 5, text: "again" }]) {
    expect(await counts(row)).toEqual({ ...NOTHING, unchanged: 1 });
  }
  expect(await status(5)).toBe(404);
  const { rejects } = await pushing.appliance.importRows("posts", [{ ...POST, id: 9 }]);
  expect(rejects).toMatchObject([
    { column: "msgr_post_id", reason: "Post 5 of the channel already has this number." },
  ]);
});

test("deleted=false restores a post under its old number, with the row's contents", async () => {
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

test("a row that takes down a post which was never imported keeps it out", async () => {
  expect(await counts({ channel: 1, msgr_post_id: 7, deleted: true })).toEqual({
    ...NOTHING,
    inserted: 1,
  });
  expect(await counts(POST)).toEqual({ ...NOTHING, unchanged: 1 });
  expect(await listed(1)).toEqual([]);
});

test("the number of a post that was taken down is never reused", async () => {
  const chosen = async (msgr_post_id: number): Promise<number> => {
    await posts([{ ...POST, msgr_post_id }]);
    return (await listed(1))[0];
  };
  const last = await chosen(1);
  await posts([{ id: last, deleted: true }]);
  expect(await chosen(2)).toBe(last + 1);
  // Not even after its tombstone is gone, for example with its channel.
  const { db } = pushing.appliance.app.domains;
  await posts([{ id: last + 1, deleted: true }]);
  db.exec("DELETE FROM post_tombstones");
  expect(await chosen(3)).toBe(last + 2);
});

test("last_post_at goes back to the preceding post, or to null", async () => {
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

test("a post that is taken down before its event is created is not sent", async () => {
  await pushing.read([1, 2]);
  await posts([{ id: 1, deleted: true }]);
  await pushing.pass(MINUTE_MS);
  expect(postsSent(pushing)).toEqual([[2]]);
});

test("editing, taking down or restoring a post sends nothing to webhooks", async () => {
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

describe("a restored post is sent to webhooks as a new one, if no event contained it:", () => {
  const at = () => new Date(pushing.now() - MINUTE_MS).toISOString();
  const takeDown = (id: number) => posts([{ id, deleted: true }]);
  const bringBack = (id: number, publishedAt: string) =>
    posts([{ id, channel: 1, published_at: publishedAt, text: "back", deleted: false }]);

  test("after the events were created without it", async () => {
    await pushing.read([1, 2]);
    await takeDown(1);
    await pushing.pass(MINUTE_MS);
    await bringBack(1, at());
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2], [1]]);
    expect(pushing.attempts().at(-1)?.body).toContain('"text":"back"');
    await takeDown(1);
    await bringBack(1, at());
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2], [1]]);
  });

  test("before the events are created, however often it was taken down and restored", async () => {
    await pushing.read([1]);
    for (let times = 0; times < 3; times++) {
      await takeDown(1);
      await bringBack(1, at());
    }
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("if the row that takes it down came before the post's own", async () => {
    await posts([{ id: 1, channel: 1, deleted: true }]);
    await bringBack(1, at());
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("but not if it is older than two days", async () => {
    await pushing.read([1]);
    const publishedAt = at();
    await takeDown(1);
    await pushing.pass(2 * DAY_MS);
    await bringBack(1, publishedAt);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([]);
  });

  test("but to no webhook twice, if it is taken down when only some have their events", async () => {
    await pushing.add([1]);
    const { db } = pushing.appliance.app.domains;
    const { clock } = pushing.appliance.ports;
    await pushing.read([1]);
    clock.advance(MINUTE_MS);
    const { part } = await startDueWork(db, clock, { batchMs: MINUTE_MS });
    expect(part?.wanted).toHaveLength(2);
    const { wanted, last } = part as Part;
    await cutPart(db, clock, { last, wanted: wanted.slice(0, 1) });
    await takeDown(1);
    await cutPart(db, clock, { last, wanted: wanted.slice(1) });
    await endPart(db, clock, { last });
    await bringBack(1, at());
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });
});

test("a channel's list is right after a file took down many of its posts", async () => {
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
