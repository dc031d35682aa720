import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { importText } from "../../support/import-text.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const CATALOG = "/v1/msgr/channels/";
const card = async (channel: number | string) =>
  (await appliance.get(`${CATALOG}${channel}/`)).body;
const resolved = async (q: string): Promise<number | undefined> =>
  (await appliance.get(`${CATALOG}resolve/?q=${encodeURIComponent(q)}`)).body.id;
const titles = async (): Promise<string[]> =>
  (await appliance.get(CATALOG)).body.results.map(({ title }: { title: string }) => title);

test("a catalog kept by handle receives messenger ids without twins, and keeps posts and statistics", async () => {
  await importText(
    appliance,
    "channels",
    "handle,title,subscribers\nutro,Утро,100\nvecher,Вечер,50\n",
  );
  const { id } = await card("utro");
  await importText(
    appliance,
    "posts",
    "channel,msgr_post_id,text,published_at\n@utro,1,Доброе утро,2026-11-19T10:00:00+03:00\n",
  );
  await importText(appliance, "stats", "channel,day,subscribers\n@utro,2026-11-19,99\n");

  const summary = await importText(
    appliance,
    "channels",
    "msgr_id,handle,title,subscribers\n-1001234567890,UTRO,Утро,101\n-1001234567891,vecher,Вечер,51\n",
  );
  expect(summary).toMatchObject({ updated: 2, inserted: 0, handles_moved: 0, notes: [] });
  expect(await titles()).toEqual(["Утро", "Вечер"]);
  expect(await card(id)).toMatchObject({ handle: "UTRO", subscribers: 101 });
  expect(await resolved("1234567890")).toBe(id);
  expect((await appliance.get(`${CATALOG}${id}/posts/`)).body.results).toHaveLength(1);
  const days = `/v1/msgr/stats/daily/?channels=${id}&from=2026-11-19&to=2026-11-19`;
  expect((await appliance.get(days)).body.results).toMatchObject([{ subscribers: 99 }]);
  // From now on the messenger id identifies it, even if its handle changes.
  const renamed = "msgr_id,handle,title\n1234567890,utro_news,Утро\n";
  expect((await importText(appliance, "channels", renamed)).updated).toBe(1);
  expect(await card("utro")).toMatchObject({ id, handle: "utro_news" });
});

test("a handle of a channel with another messenger id moves, and is counted and reported with both numbers", async () => {
  await appliance.importRows("channels", [
    { id: 1, msgr_id: 11, handle: "a", title: "A", subscribers: 1 },
    { id: 2, msgr_id: 12, handle: "b", title: "B", subscribers: 1 },
  ]);
  const moved = await appliance.importRows("channels", [
    { msgr_id: 12, handle: "A" },
    { msgr_id: 13, handle: "b", title: "C", subscribers: 1 },
  ]);
  expect(moved).toMatchObject({ updated: 1, inserted: 1, handles_moved: 1 });
  expect(moved.notes).toEqual(["@A moved from channel 1 to channel 2."]);
  const next = await appliance.importRows("channels", [
    { msgr_id: 14, handle: "a", title: "D", subscribers: 1 },
  ]);
  const { id } = await card("a");
  expect(next.notes).toEqual([`@a moved from channel 2 to channel ${id}.`]);
  expect(await card(2)).toMatchObject({ handle: null, former_handles: ["A", "b"] });
});

test("an id takes precedence over a messenger id, and that over a handle", async () => {
  await appliance.importRows("channels", [
    { id: 1, msgr_id: 11, handle: "a", title: "A", subscribers: 1 },
    { id: 2, handle: "b", title: "B", subscribers: 1 },
  ]);
  const summary = await appliance.importRows("channels", [
    { id: 1, handle: "b" },
    { msgr_id: 11, handle: "c" },
    { id: 3, msgr_id: 33, handle: "c", title: "C", subscribers: 1 },
  ]);
  expect(summary).toMatchObject({ updated: 2, inserted: 1, handles_moved: 2 });
  expect(await resolved("33")).toBe(3);
  expect(await card("c")).toMatchObject({ id: 3, title: "C" });
});

test("moved handles after the first twenty are only counted", async () => {
  const numbers = Array.from({ length: 25 }, (_, at) => at + 1);
  const rows = (offset: number) =>
    numbers.map((n) => ({
      ...{ id: n + offset, handle: `h${n}`, title: `T${n}`, subscribers: 1 },
    }));
  await appliance.importRows("channels", rows(0));
  const { handles_moved, notes } = await appliance.importRows("channels", rows(100));
  expect(handles_moved).toBe(25);
  expect(notes).toHaveLength(21);
  expect(notes[19]).toBe("@h20 moved from channel 20 to channel 120.");
  expect(notes[20]).toBe("… and 5 more handles moved to other channels.");
});

test("messenger ids are exact in CSV and as strings, and a JSON number beyond the safe range is rejected", async () => {
  const csv =
    "id,msgr_id,title,subscribers\n1,9223372036854775807,A,1\n2,9223372036854775806,B,1\n";
  expect((await importText(appliance, "channels", csv)).inserted).toBe(2);
  const json = [
    '{"id":3,"msgr_id":"-9223372036854775808","title":"C","subscribers":1}',
    '{"id":4,"msgr_id":9007199254740991,"title":"D","subscribers":1}',
    '{"id":5,"msgr_id":9223372036854775805,"title":"E","subscribers":1}',
    '{"id":6,"msgr_id":"9223372036854775808","title":"F","subscribers":1}',
    '{"id":7,"msgr_id":1.5,"title":"G","subscribers":1}',
  ].join("\n");
  const { inserted, rejects } = await importText(appliance, "channels", json, { format: "ndjson" });
  expect(inserted).toBe(2);
  const range = "Enter a whole number from -9223372036854775808 to 9223372036854775807.";
  expect(rejects.map(({ line, column, reason }) => [line, column, reason])).toEqual([
    [3, "msgr_id", "Give it as a string."],
    [4, "msgr_id", range],
    [5, "msgr_id", range],
  ]);
  expect(await resolved("9223372036854775806")).toBe(2);
  expect(await resolved("-9223372036854775808")).toBe(3);
  expect((await importText(appliance, "channels", csv)).unchanged).toBe(2);
});

test("posts and statistics may name their channel by number, handle, link or messenger id", async () => {
  await appliance.importRows("channels", [
    { id: 5, msgr_id: "9223372036854775807", handle: "five", title: "F", subscribers: 1 },
    { id: 6, msgr_id: "-1001234567890", title: "S", subscribers: 1 },
  ]);
  const posts = await appliance.importRows(
    "posts",
    [
      ...[{ channel: 5 }, { channel: "@Five" }, { channel: "https://t.me/five/8" }],
      ...[{ channel: "five.t.me" }, { channel_msgr_id: "9223372036854775807" }],
      ...[{ channel: "five" }, { channel: 5 }],
      ...[{ channel: "@five", channel_msgr_id: "9223372036854775807" }],
    ].map((named, at) => ({ ...named, msgr_post_id: at, published_at: "2026-11-20T08:00:00Z" })),
  );
  expect(posts).toMatchObject({ inserted: 8, rejected: 0 });
  expect((await appliance.get(`${CATALOG}5/posts/`)).body.results).toHaveLength(8);

  const stats = await importText(
    appliance,
    "stats",
    "channel,channel_msgr_id,day,subscribers\n,1234567890,2026-11-18,7\n" +
      "t.me/c/1234567890/4,,2026-11-19,8\n6,-1001234567890,2026-11-17,6\n-1001234567890,,2026-11-16,5\n",
  );
  expect(stats).toMatchObject({ inserted: 4, rejected: 0 });
  const days = "/v1/msgr/stats/daily/?channels=6&from=2026-11-16&to=2026-11-19";
  expect((await appliance.get(days)).body.results).toHaveLength(4);
});

test("a row that names no channel, two channels, or one that does not exist is rejected", async () => {
  await appliance.importRows("channels", [
    { id: 5, msgr_id: 55, handle: "five", title: "F", subscribers: 1 },
    { id: 6, title: "S", subscribers: 1 },
  ]);
  for (const [kind, rest] of [
    ["posts", { msgr_post_id: 1, published_at: "2026-11-20T08:00:00Z" }],
    ["stats", { day: "2026-11-19", subscribers: 1, views: 1, posts: 1 }],
  ] as const) {
    const { inserted, rejects } = await appliance.importRows(kind, [
      { ...rest },
      { channel: 6, channel_msgr_id: 55, ...rest },
      { channel_msgr_id: 56, ...rest },
      { channel: "t.me/nobody", ...rest },
      { channel: "https://example.com/five", ...rest },
      { channel: "five two", ...rest },
      { channel_msgr_id: 2 ** 63, ...rest },
    ]);
    expect(inserted).toBe(0);
    expect(rejects.map(({ column, reason }) => [column, reason])).toEqual([
      ["channel", "This field is required."],
      ["channel_msgr_id", "The columns name two channels: channel is 6, channel_msgr_id is 5."],
      ["channel_msgr_id", "There is no channel with messenger id 56."],
      ["channel", "There is no channel @nobody."],
      ["channel", "Enter a service number, an @handle or a link."],
      ["channel", "Enter a service number, an @handle or a link."],
      ["channel_msgr_id", "Give it as a string."],
    ]);
  }
});
