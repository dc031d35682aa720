import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Fields } from "../../../src/catalog/imports/reading/recognized.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectOk, imported } from "../../support/expectations.ts";

/** Similar channels (questions, section 3), with the points of the guide, mentions.md. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const channels = (...rows: Fields[]) => imported(appliance, "channels", rows);
const SIMILAR = "/v1/msgr/channels/1/similar/";
const similar = async (): Promise<Record<string, unknown>[]> =>
  (await expectOk(appliance, SIMILAR)).body.results;

let nextPost = 0;
const mention = (source: number, text: string) => {
  nextPost += 1;
  return imported(appliance, "posts", [
    { id: nextPost, channel: source, text, published_at: "2026-11-19T10:00:00Z" },
  ]);
};

test("the score is the sum of the guide's points, and the reasons say what they are for", async () => {
  await channels(
    channel(1, { handle: "one", category: "science", categories: "news", territory: "moskva" }),
    channel(2, { handle: "two", category: "science", territory: "moskva" }),
    channel(3, { handle: "three", category: "news", subscribers: 16_015 }),
    channel(4, { handle: "four", subscribers: 3_000 }),
    channel(5, { handle: "five", territory: "moskva" }),
    channel(6),
    channel(7),
  );
  // The first source names only these two; the second names four channels and weighs 1 / log2(5).
  await mention(6, "@one @two");
  await mention(7, "@one @four t.me/two t.me/elsewhere");
  const half = 1 / Math.log2(3) / (1 / Math.log2(3) + 1 / Math.log2(5));
  const size = (other: number) => 15 * (1 - Math.log2((other + 1) / 1001) / 4);
  expect(await similar()).toEqual([
    {
      ...{ id: 2, title: "Channel 2", handle: "two", subscribers: 1000 },
      ...{ category: "science", territory: "moskva", score: 100, shared: 2 },
      reasons: ["mentioned_together", "same_category", "same_territory", "near_size"],
    },
    {
      ...{ id: 4, title: "Channel 4", handle: "four", subscribers: 3000, category: null },
      ...{ territory: null, score: Math.round(50 * (1 - half) + size(3000)), shared: 1 },
      reasons: ["mentioned_together"],
    },
  ]);
});

test("another category in common counts less than the primary one; two channels without any share none", async () => {
  await channels(
    channel(1, { handle: "one", category: "science", categories: "news", subscribers: 1000 }),
    channel(2, { handle: "two", category: "news", subscribers: 2000 }),
    channel(3, { handle: "three", categories: "science", subscribers: 480 }),
    channel(4, { handle: "four", subscribers: 1_000_000 }),
    channel(5, { handle: "five" }),
    channel(6),
  );
  await mention(6, "@one @two @four");
  const size = (other: number) => 15 * (1 - Math.abs(Math.log2((other + 1) / 1001)) / 4);
  expect(await similar()).toMatchObject([
    {
      ...{ id: 2, score: Math.round(50 + 15 + size(2000)) },
      reasons: ["mentioned_together", "shared_category", "near_size"],
    },
    // Nothing is subtracted for a size that is very different.
    { id: 4, score: 50, reasons: ["mentioned_together"] },
    { id: 3, score: Math.round(15 + size(480)), reasons: ["shared_category"] },
  ]);
  const { body } = await expectOk(appliance, "/v1/msgr/channels/4/similar/");
  expect(body.results[0]).toMatchObject({ id: 1, reasons: ["mentioned_together"] });
  await mention(6, "@four @five");
  const { results } = (await expectOk(appliance, "/v1/msgr/channels/5/similar/")).body;
  expect(results).toMatchObject([
    { id: 1, reasons: ["mentioned_together", "near_size"] },
    { id: 2, reasons: ["mentioned_together", "near_size"] },
    { id: 4, reasons: ["mentioned_together"] },
  ]);
});

test("a chat is similar to chats only, and a channel has one name for each source that mentions it", async () => {
  await channels(
    channel(1, { handle: "one" }),
    channel(2, { handle: "two", msgr_id: "2222" }),
    channel(3, { handle: "three", kind: "chat" }),
    ...[4, 5].map((id) => channel(id)),
  );
  await mention(4, "@one @two @three");
  await mention(5, "@one t.me/c/2222/1");
  expect(await similar()).toMatchObject([{ id: 2, shared: 2 }]);
});

test("channels of the same territory are found however large they are; ties come by number", async () => {
  const many = (from: number, more: Fields) =>
    Array.from({ length: 60 }, (_, at) => channel(from + at, { category: "science", ...more }));
  await channels(
    channel(1, { category: "science", territory: "moskva", subscribers: 1000 }),
    ...many(100, { subscribers: 900 }),
    ...many(200, { subscribers: 1100 }),
    channel(90, { category: "science", territory: "moskva", subscribers: 3000 }),
  );
  const found = await similar();
  expect(found[0]).toMatchObject({ id: 90, reasons: ["same_category", "same_territory"] });
  const ids = found.slice(1).map(({ id }) => id as number);
  expect(ids).toHaveLength(19);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
});

test("the 200 channels that mention it most often count, however little each adds to the score", async () => {
  const sources = Array.from({ length: 201 }, (_, at) => 1_000 + at);
  await channels(
    channel(1, { handle: "one" }),
    ...["two", "three", "four", "five"].map((handle, at) => channel(2 + at, { handle })),
    channel(6, { handle: "seldom", subscribers: 1_000_000 }),
    channel(7, { handle: "last" }),
    ...sources.map((id) => channel(id)),
  );
  const rows = sources.flatMap((source, at) => [
    { channel: source, text: "@one @two @three @four @five" },
    ...(at < 200 ? [{ channel: source, text: at === 0 ? "@one @seldom" : "@one" }] : []),
    ...(at === 200 ? [{ channel: source, text: "@last" }] : []),
  ]);
  await imported(
    appliance,
    "posts",
    rows.map((row, at) => ({ ...row, id: at + 1, published_at: "2026-11-19T10:00:00Z" })),
  );
  const found = await similar();
  expect(found.map(({ id, shared }) => [id, shared])).toEqual([
    ...[2, 3, 4, 5].map((id) => [id, 200]),
    [6, 1],
  ]);
  expect(found.at(-1)).toMatchObject({ score: 1 });
});

test("without mentions a channel is compared with those of its category, nearest in size first", async () => {
  await channels(
    channel(1, { category: "science", subscribers: 1000 }),
    ...Array.from({ length: 60 }, (_, at) =>
      channel(10 + at, { category: "science", subscribers: 100 * (at + 1) }),
    ),
    channel(90, { category: "news", subscribers: 1000 }),
    channel(91, { category: "science", subscribers: 1000, is_public: false }),
    channel(92, { category: "science", subscribers: 1000, kind: "chat" }),
  );
  const found = await similar();
  expect(found).toHaveLength(20);
  expect(found.slice(0, 3).map(({ subscribers }) => subscribers)).toEqual([1000, 1100, 900]);
  expect(found[0]).toMatchObject({ score: 40, shared: 0, reasons: ["same_category", "near_size"] });
  expect(new Set(found.map(({ category }) => category))).toEqual(new Set(["science"]));
});

test("a channel may have no similar ones, hidden ones are omitted, and an unknown one is a 404", async () => {
  await channels(channel(1, { handle: "one" }), channel(2, { handle: "two" }), channel(3));
  expect(await similar()).toEqual([]);
  await mention(3, "@one @two");
  expect(await similar()).toMatchObject([{ id: 2 }]);
  await appliance.app.domains.channels.setPublic(2, false, COMMAND_LINE);
  expect(await similar()).toEqual([]);
  await appliance.app.domains.channels.setPublic(2, true, COMMAND_LINE);
  await appliance.app.domains.posts.delete([nextPost], COMMAND_LINE);
  expect(await similar()).toEqual([]);
  expect((await appliance.get("/v1/msgr/channels/77/similar/")).status).toBe(404);
});

test("only the newest 2,000 mentions of a channel count", async () => {
  await channels(
    channel(1, { handle: "one" }),
    channel(2, { handle: "new" }),
    channel(3, { handle: "old" }),
    channel(4),
    channel(5),
  );
  const rows = Array.from({ length: 2_100 }, (_, at) => ({
    ...{ id: 1_000 + at, channel: at < 2_000 ? 4 : 5, text: at === 0 ? "@one @new" : "@one" },
    published_at: new Date(Date.parse("2026-11-18T10:00:00Z") - at * 1000).toISOString(),
  }));
  rows.push({ ...rows[2_099], id: 9_000, text: "@one @old" } as (typeof rows)[0]);
  await imported(appliance, "posts", rows);
  // The second source's mentions are older than the newest 2,000.
  expect(await similar()).toMatchObject([{ id: 2, shared: 1 }]);
});
