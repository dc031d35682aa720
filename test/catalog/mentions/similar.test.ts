import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Fields } from "../../../src/catalog/imports/reading/input-row.ts";
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
