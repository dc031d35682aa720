import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ForeignFormatName } from "../../../src/catalog/imports/reading/foreign/foreign-formats.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";

/** An empty appliance starts from one export of a messenger's program (living data, amendment 3). */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const ID = "1234567890";
const DATE = "2025-01-01T07:00:00+00:00";
const EXPORTS: Record<ForeignFormatName, string> = {
  "telegram-desktop": JSON.stringify({
    ...{ name: "Первый", type: "public_channel", id: 1234567890 },
    messages: [{ id: 2, type: "message", date_unixtime: "1735714800", text: "Привет" }],
  }),
  telethon: JSON.stringify({
    ...{ _: "Message", id: 2, date: DATE, message: "Привет" },
    peer_id: { _: "PeerChannel", channel_id: 1234567890 },
  }),
  pyrogram: JSON.stringify({
    ...{ _: "Message", id: 2, date: "2025-01-01 10:00:00", text: "Привет" },
    chat: {
      ...{ _: "Chat", id: -1001234567890, type: "ChatType.CHANNEL" },
      ...{ title: "Первый", username: "first_channel" },
    },
  }),
};
const TITLES = { "telegram-desktop": "Первый", telethon: ID, pyrogram: "Первый" };

const importExport = (
  from: ForeignFormatName,
  kind: "posts" | "channels" = "posts",
  set: Record<string, string> = {},
) => importText(appliance, kind, EXPORTS[from], { from, set });
const card = async (name: string | number) =>
  (await appliance.get(`/v1/msgr/channels/${name}/`)).body;
const postsOf = async (id: number) =>
  (await appliance.get(`/v1/msgr/channels/${id}/posts/`)).body.results;

describe.each(Object.keys(EXPORTS) as ForeignFormatName[])("posts of %s", (from) => {
  test("make their channel, with subscribers unknown, and a second time change nothing", async () => {
    const first = await importExport(from);
    expect(first).toMatchObject({ read: 1, inserted: 1, rejected: 0 });
    expect(first.notes).toEqual([
      `Channel ${ID} was not in the catalog and is added as “${TITLES[from]}”; its subscribers are not known.`,
    ]);
    expect(await card(1)).toMatchObject({
      ...{ title: TITLES[from], subscribers: 0, subscribers_at: null },
    });
    expect(await postsOf(1)).toMatchObject([
      { text: "Привет", published_at: "2025-01-01T10:00:00+03:00" },
    ]);
    const file = await exported(appliance, { kind: "channels", format: "ndjson" });
    expect(JSON.parse(file)).toMatchObject({
      msgr_id: ID,
      subscribers: null,
      subscribers_at: null,
    });
    const again = await importExport(from);
    expect(again).toMatchObject({ unchanged: 1, inserted: 0, notes: [] });
    expect(await exported(appliance, { kind: "channels", format: "ndjson" })).toBe(file);
  });

  test("get from --set what the export lacks, for the posts and for the channel", async () => {
    await appliance.importRows("categories", [{ slug: "news", name: "Новости" }]);
    await importExport(from, "posts", { handle: "own_handle", category: "новости", is_ad: "yes" });
    const handle = from === "pyrogram" ? "first_channel" : "own_handle";
    expect(await card(handle)).toMatchObject({ id: 1, category: "news" });
    expect(await postsOf(1)).toMatchObject([{ is_ad: true }]);
  });

  test("leave a channel that the catalog has as it is", async () => {
    await appliance.importRows("channels", [
      { id: 7, msgr_id: `-100${ID}`, title: "Новее", subscribers: 5 },
    ]);
    expect((await importExport(from)).notes).toEqual([]);
    expect(await card(7)).toMatchObject({ title: "Новее", subscribers: 5 });
    expect(await postsOf(7)).toHaveLength(1);
  });

  test("stay out with their channel, if that was deleted", async () => {
    await importExport(from);
    await appliance.app.domains.channels.delete(1, COMMAND_LINE);
    expect(await importExport(from)).toMatchObject({ kept_out: 1, inserted: 0, notes: [] });
    expect((await appliance.get("/v1/msgr/channels/")).body.results).toEqual([]);
  });
});

test("a bad cell of --set for the channel is said", async () => {
  const { notes, inserted } = await importExport("telethon", "posts", { category: "нет такой" });
  expect(inserted).toBe(1);
  expect(notes.at(-1)).toContain("category");
});

test("a channel that is known by its handle gets its messenger id from the posts", async () => {
  await appliance.importRows("channels", [{ handle: "first_channel", title: "А", subscribers: 9 }]);
  await importExport("pyrogram");
  expect(await postsOf(1)).toHaveLength(1);
  expect(await card(1)).toMatchObject({ title: "А", subscribers: 9 });
  expect(
    JSON.parse(await exported(appliance, { kind: "channels", format: "ndjson" })),
  ).toMatchObject({ msgr_id: ID });
});

test("an export does not take the handle of another channel", async () => {
  await appliance.importRows("channels", [
    { msgr_id: "55", handle: "first_channel", title: "А", subscribers: 9 },
  ]);
  await importExport("pyrogram");
  expect(await card("first_channel")).toMatchObject({ id: 1, title: "А" });
  expect(await card(2)).toMatchObject({ title: "Первый", handle: null });
});

test("posts in our own columns make no channel: they may name it by mistake", async () => {
  const rows =
    '{"channel_msgr_id": "77", "msgr_post_id": 1, "published_at": "2025-01-01T00:00:00Z"}';
  const { groups } = await importText(appliance, "posts", rows);
  expect(groups).toMatchObject([{ column: "channel_msgr_id", count: 1 }]);
});

test("channels of an export are imported alone too, and Telethon's with a title", async () => {
  expect(await importExport("telegram-desktop", "channels")).toMatchObject({ inserted: 1 });
  expect(await card(1)).toMatchObject({ title: "Первый", subscribers_at: null });
  expect(await importExport("telethon", "channels", { title: "Мой" })).toMatchObject({
    updated: 1,
  });
  expect(await card(1)).toMatchObject({ title: "Мой" });
});

describe("the time of a channel's subscribers", () => {
  const NOON = "2026-11-19T12:00:00+03:00";
  const read = async () => {
    const { subscribers, subscribers_at } = await card(1);
    return [subscribers, subscribers_at];
  };
  const give = (row: object) => appliance.importRows("channels", [{ id: 1, ...row }]);

  test("is when they were imported, unless the row says it", async () => {
    await give({ title: "А" });
    expect(await read()).toEqual([0, null]);
    await give({ subscribers: 5, subscribers_at: NOON });
    expect(await read()).toEqual([5, NOON]);
    const { clock } = appliance.ports;
    await give({ subscribers: 6 });
    const [subscribers, at] = await read();
    expect(subscribers).toBe(6);
    expect(Date.parse(at)).toBe(clock.now());
  });

  test("decides: an older reading replaces no newer one, of a row that says more or only this", async () => {
    await give({ title: "А", subscribers: 5, subscribers_at: NOON });
    const older = { subscribers: 4, subscribers_at: "2026-11-18T12:00:00+03:00" };
    await give(older);
    expect(await read()).toEqual([5, NOON]);
    await give({ ...older, title: "Б" });
    expect(await read()).toEqual([5, NOON]);
    expect((await card(1)).title).toBe("Б");
  });

  test("tells a known 0 from an unknown one, also in exports", async () => {
    await give({ title: "А", subscribers: 0, subscribers_at: NOON });
    expect(await read()).toEqual([0, NOON]);
    const file = await exported(appliance, { kind: "channels", format: "ndjson" });
    expect(JSON.parse(file)).toMatchObject({ subscribers: 0, subscribers_at: NOON });
  });
});
