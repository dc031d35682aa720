import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { importText } from "../../support/import-text.ts";

/** Messenger ids of posts, which have 64 bits, and the optional fields of a post. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one" }),
    channel(2, { handle: "two" }),
    channel(3, { handle: "hidden", is_public: false }),
  ]);
});
afterEach(() => appliance.close());

const AT = "2026-11-20T07:00:00Z";
const NOW = "2026-11-20T12:00:00+03:00";

const post = async (id: number) => (await appliance.get(`/v1/msgr/posts/${id}/`)).body;
const reasons = async (rows: Record<string, unknown>[]) =>
  (await appliance.importRows("posts", rows)).rejects.map(({ column, reason }) => [column, reason]);

test("64-bit ids of posts are exact in CSV, in NDJSON and in answers", async () => {
  const numbers = ["9223372036854775807", "9223372036854775806", "9007199254740993", "0"];
  const csv = numbers.map((number, at) => `${at + 1},1,${number},${AT}`).join("\n");
  await importText(appliance, "posts", `id,channel,msgr_post_id,published_at\n${csv}\n`);
  const lines = numbers.map((number) =>
    JSON.stringify({ channel: "@two", msgr_post_id: number, published_at: AT }),
  );
  await importText(appliance, "posts", `${lines.join("\n")}\n`, { format: "ndjson" });
  for (const id of [1, 2]) {
    const { results } = (await appliance.get(`/v1/msgr/channels/${id}/posts/`)).body;
    const shown = results.map(({ msgr_post_id }: { msgr_post_id: string }) => msgr_post_id);
    expect(shown.toReversed()).toEqual(numbers);
  }
});

test("all 64 bits of an id identify a post, however the id is written", async () => {
  const last = { channel: 1, msgr_post_id: "9223372036854775807" };
  await imported(appliance, "posts", [
    { ...last, id: 1, published_at: AT },
    { channel: 1, msgr_post_id: "9223372036854775806", id: 2, published_at: AT },
    { channel: 1, msgr_post_id: 17, id: 3, published_at: AT },
  ]);
  const summary = await appliance.importRows("posts", [
    { ...last, text: "last" },
    { channel: 1, msgr_post_id: "0017", text: "seventeen" },
  ]);
  expect(summary).toMatchObject({ updated: 2, rejected: 0 });
  expect([await post(1), await post(2), await post(3)]).toMatchObject([
    { text: "last" },
    { text: "" },
    { text: "seventeen", msgr_post_id: "17" },
  ]);
});

test("the id in MAX's mid. is its last 16 hexadecimal digits", async () => {
  await imported(appliance, "posts", [
    { id: 1, channel: 1, msgr_post_id: "mid.ffffbfb7a1c2d3e4019AC0FFEE123456", published_at: AT },
    { id: 2, channel: 1, msgr_post_id: "mid.7fffffffffffffff", published_at: AT },
  ]);
  expect(await post(1)).toMatchObject({ msgr_post_id: String(0x019ac0ffee123456n) });
  expect(await post(2)).toMatchObject({ msgr_post_id: "9223372036854775807" });
});

test("an id that JSON may have rounded is rejected with the advice to give it as a string", async () => {
  const row = { channel: 1, published_at: AT };
  const ndjson = `{"channel": 1, "published_at": "${AT}", "msgr_post_id": 9007199254740993}\n`;
  const { rejects } = await importText(appliance, "posts", ndjson, { format: "ndjson" });
  expect(rejects).toMatchObject([
    { line: 1, column: "msgr_post_id", reason: "Give it as a string." },
  ]);
  expect(await reasons([{ ...row, id: 1, album: 2 ** 53 }])).toEqual([
    ["album", "Give it as a string."],
  ]);
  expect(await reasons([{ ...row, msgr_post_id: Number.MAX_SAFE_INTEGER }])).toEqual([]);
});

for (const wrong of [
  ...["-1", "1.5", "9223372036854775808", "99999999999999999999", "mid.", "mid.12", "abc"],
  ...["mid.8000000000000000", "mid.zzzzzzzzzzzzzzzz", " ", -1, 1.5, true, ["5"], {}],
]) {
  test(`${JSON.stringify(wrong)} is rejected as the id of a post, with a reason that says what is accepted`, async () => {
    const [rejected] = await reasons([{ channel: 1, msgr_post_id: wrong, published_at: AT }]);
    expect(rejected).toEqual([
      "msgr_post_id",
      "Enter a whole number from 0 to 9223372036854775807, or a message id of MAX, such as mid.… with 16 hexadecimal digits at its end.",
    ]);
  });
}

const KNOWN = {
  edited_at: "2026-11-20T11:00:00+03:00",
  views_at: "2026-11-20T11:30:00+03:00",
  media: ["photo", "video"],
  forwards: 3,
  reactions: 40,
  comments: 5,
  forwarded_from: 2,
  forwarded_from_name: "Второй",
  album: "13900000000000000001",
};

test("optional fields of a post are imported from CSV and NDJSON alike, and shown", async () => {
  await imported(appliance, "posts", [
    { id: 1, channel: 1, published_at: AT, views: 7, ...KNOWN, forwarded_from: "@two" },
  ]);
  const cells = { ...KNOWN, media: "photo video" };
  const csv = `id,channel,published_at,views,${Object.keys(cells)}\n2,1,${AT},7,${Object.values(cells)}\n`;
  expect((await importText(appliance, "posts", csv)).rejects).toEqual([]);
  expect(await post(1)).toMatchObject({ views: 7, ...KNOWN });
  expect(await post(2)).toMatchObject({ views: 7, ...KNOWN });
  expect((await importText(appliance, "posts", csv)).unchanged).toBe(1);
});

test("null clears an optional field of a post, and an empty cell leaves it", async () => {
  await imported(appliance, "posts", [{ id: 1, channel: 1, published_at: AT, ...KNOWN }]);
  const names = Object.keys(KNOWN);
  await importText(appliance, "posts", `id,${names}\n1${",".repeat(names.length)}\n`);
  expect(await post(1)).toMatchObject(KNOWN);
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  await imported(appliance, "posts", [{ id: 1, ...nulls }]);
  expect(await post(1)).toMatchObject(nulls);
});

test("media are of the listed kinds, each stored once; a post can also be known to have none", async () => {
  await imported(appliance, "posts", [
    { id: 1, channel: 1, published_at: AT, media: "video photo video" },
    { id: 2, channel: 1, published_at: AT, media: [] },
  ]);
  expect((await post(1)).media).toEqual(["video", "photo"]);
  expect((await post(2)).media).toEqual([]);
  const csv = `id,channel,published_at,media\n3,1,${AT},no\n4,1,${AT},\n1,,, No \n2,,,\n`;
  expect((await importText(appliance, "posts", csv)).rejects).toEqual([]);
  const read = await Promise.all([1, 2, 3, 4].map(async (id) => (await post(id)).media));
  expect(read).toEqual([[], [], [], null]);
  const kinds = "photo, video, audio, voice, document, poll, sticker, other";
  expect(await reasons([{ id: 1, media: "photo gif" }])).toEqual([
    ["media", `"gif" is not a valid choice. Allowed: ${kinds}.`],
  ]);
});

test("a wrong count or time of a post is rejected, naming its column", async () => {
  const rows = [
    { views: 1_000_000_000_001 },
    { forwards: -1 },
    { reactions: "many" },
    { comments: 1.5 },
    { edited_at: "yesterday" },
    { views_at: 5 },
    { forwarded_from: "two words" },
  ];
  const rejected = await reasons(rows.map((row) => ({ id: 1, channel: 1, ...row })));
  expect(rejected.map(([column]) => column)).toEqual(rows.flatMap((row) => Object.keys(row)));
});

test("forwarded_from is null if the channel is not in the catalog, or hidden", async () => {
  await imported(appliance, "posts", [
    { id: 1, channel: 1, published_at: AT, forwarded_from: "@elsewhere" },
    { id: 2, channel: 1, published_at: AT, forwarded_from: 99 },
    { id: 3, channel: 1, published_at: AT, forwarded_from: 3 },
    { id: 4, channel: 1, published_at: AT, forwarded_from: 2 },
  ]);
  const shown = async () =>
    Promise.all([1, 2, 3, 4].map(async (id) => (await post(id)).forwarded_from));
  expect(await shown()).toEqual([null, null, null, 2]);
  await imported(appliance, "channels", [
    { id: 2, is_public: false },
    { id: 3, is_public: true },
  ]);
  expect(await shown()).toEqual([null, null, 3, null]);
});

test("views were read when the row says, or else now; a post whose views were never read has 0", async () => {
  await imported(appliance, "posts", [
    { id: 1, channel: 1, published_at: AT, views: 5, views_at: "2026-11-20T10:30:00+03:00" },
    { id: 2, channel: 1, published_at: AT, views: 5 },
    { id: 3, channel: 1, published_at: AT },
    { id: 4, channel: 1, published_at: AT, views: 0 },
    { id: 5, channel: 1, published_at: AT, views: 5, views_at: null },
    { id: 6, channel: 1, published_at: AT, views: 0, views_at: "2026-11-20T10:30:00+03:00" },
  ]);
  const read = async (id: number) => {
    const { views, views_at } = await post(id);
    return [views, views_at];
  };
  expect(await read(1)).toEqual([5, "2026-11-20T10:30:00+03:00"]);
  expect(await read(2)).toEqual([5, NOW]);
  expect(await read(3)).toEqual([0, null]);
  expect(await read(4)).toEqual([0, null]);
  expect(await read(5)).toEqual([5, NOW]);
  expect(await read(6)).toEqual([0, "2026-11-20T10:30:00+03:00"]);

  appliance.ports.clock.advance(60_000);
  const again = await appliance.importRows("posts", [
    { id: 1, views: 5 },
    { id: 2, views: 5 },
    { id: 5, views: 5, views_at: null },
  ]);
  expect(again.unchanged).toBe(3);
  await imported(appliance, "posts", [
    { id: 1, views: 6 },
    { id: 2, views_at: null },
  ]);
  expect(await read(1)).toEqual([6, "2026-11-20T12:01:00+03:00"]);
  expect(await read(2)).toEqual([0, null]);
});

test("an instant more than 5 minutes in the future is rejected, in posts and in statistics", async () => {
  const ahead = "2026-11-20T12:05:00.001+03:00";
  const message = "This is more than 5 minutes in the future.";
  for (const column of ["published_at", "edited_at", "views_at"]) {
    const row = { id: 1, channel: 1, published_at: AT };
    expect(await reasons([{ ...row, [column]: ahead }])).toEqual([[column, message]]);
    expect(await reasons([{ ...row, [column]: "2026-11-20T12:05:00+03:00" }])).toEqual([]);
  }
  const days = async (day: string) =>
    (await appliance.importRows("stats", [{ channel: 1, day, subscribers: 1, views: 1, posts: 1 }]))
      .rejects;
  expect(await days("2026-11-21")).toMatchObject([{ column: "day", reason: message }]);
  appliance.ports.clock.set("2026-11-20T23:55:00+03:00");
  expect(await days("2026-11-21")).toEqual([]);
  expect(await days("2026-11-22")).toMatchObject([{ column: "day", reason: message }]);
});

test("days in the future are rejected one by one, also when rows are inserted together", async () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({
    ...{ channel: 1, subscribers: 1, views: 1, posts: 1 },
    day: new Date(Date.UTC(2026, 10, 1 + at)).toISOString().slice(0, 10),
  }));
  const { inserted, rejected } = await appliance.importRows("stats", rows);
  expect([inserted, rejected]).toEqual([20, 40]);
});
