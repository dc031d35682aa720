import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { counts, importText } from "../../support/import-text.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const card = async (channel: number | string) =>
  (await appliance.get(`/v1/msgr/channels/${channel}/`)).body;

const ids = async (query: string): Promise<number[]> =>
  (await appliance.get(`/v1/msgr/channels/?${query}`)).body.results.map(
    ({ id }: { id: number }) => id,
  );

test("a new channel needs a title; other columns have defaults", async () => {
  const summary = await appliance.importRows("channels", [
    { id: 7, title: "Семь", subscribers: 5 },
  ]);
  expect(counts(summary)).toEqual({ read: 1, inserted: 1, updated: 0, unchanged: 0, rejected: 0 });
  expect(await card(7)).toEqual({
    id: 7,
    handle: null,
    title: "Семь",
    description: null,
    link: null,
    image: null,
    kind: "channel",
    subscribers: 5,
    subscribers_at: "2026-11-20T12:00:00+03:00",
    category: null,
    categories: [],
    territory: null,
    a_plus: false,
    verified: false,
    quality: null,
    citation: null,
    last_post_at: null,
    former_handles: [],
  });
});

test("a new channel without title is rejected, naming the column", async () => {
  const { rejects } = await appliance.importRows("channels", [
    { id: 1, subscribers: 5 },
    { id: 2, subscribers: 5 },
    { title: "C", subscribers: 5 },
    { id: 4, title: " \n ", subscribers: 5 },
  ]);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "title"],
    [2, "title"],
    [3, "id"],
    [4, "title"],
  ]);
  expect((await appliance.get("/v1/msgr/channels/?ids=1,2,4")).body.results).toEqual([]);
});

test("a row is identified by id, or else by msgr_id, or else by handle in any case", async () => {
  await appliance.importRows("channels", [
    { id: 1, msgr_id: -1001, handle: "one", title: "A", subscribers: 1 },
    { id: 2, msgr_id: -1002, handle: "two", title: "B", subscribers: 1 },
  ]);
  const summary = await appliance.importRows("channels", [
    { id: 1, title: "by id" },
    { msgr_id: -1002, handle: "three", title: "by msgr_id" },
  ]);
  expect(summary.updated).toBe(2);
  expect((await card(1)).title).toBe("by id");
  expect(await card(2)).toMatchObject({ title: "by msgr_id", handle: "three" });

  expect((await appliance.importRows("channels", [{ handle: "@THREE", title: "C" }])).updated).toBe(
    1,
  );
  expect(await card(2)).toMatchObject({ title: "C", handle: "THREE" });
});

test("a channel without a number gets a new one", async () => {
  await appliance.importRows("channels", [
    { id: 10, title: "A", subscribers: 1 },
    { handle: "b", title: "B", subscribers: 1 },
    { msgr_id: 5, title: "C", subscribers: 1 },
  ]);
  const [b, c] = [await card("b"), (await appliance.get("/v1/msgr/channels/resolve/?q=5")).body];
  expect(new Set([10, b.id, c.id]).size).toBe(3);
  expect(c.title).toBe("C");
});

test("importing the same rows again leaves all unchanged", async () => {
  const rows = [
    {
      ...{ id: 1, msgr_id: -100, handle: "One", title: "A", description: "text\nlines" },
      ...{ link: "https://t.me/One", image: "https://example.com/1.webp", kind: "chat" },
      ...{ subscribers: 5, category: "auto", categories: ["blogs", "games"], territory: "russia" },
      ...{ a_plus: true, verified: "yes", quality: 1.5, citation: 100, is_public: false },
      last_post_at: "2026-11-19T10:00:00.123456789+03:00",
    },
    { handle: "two", title: "B", subscribers: 0 },
  ];
  expect((await appliance.importRows("channels", rows)).inserted).toBe(2);
  expect((await appliance.importRows("channels", rows)).unchanged).toBe(2);
});

test("an empty CSV cell leaves the stored value, and null in NDJSON clears it", async () => {
  const full = {
    ...{ id: 1, msgr_id: 9, handle: "one", title: "A", description: "d", link: "https://t.me/one" },
    ...{ image: "https://example.com/1.webp", subscribers: 5, category: "auto" },
    ...{ categories: ["blogs"], territory: "russia", quality: 1.5, citation: 2.5 },
    last_post_at: "2026-11-19T10:00:00Z",
  };
  await appliance.importRows("channels", [full]);
  const before = await card(1);
  const names = Object.keys(full).join(",");
  const empty = `${names}\n1${",".repeat(Object.keys(full).length - 1)}\n`;
  expect((await importText(appliance, "channels", empty)).unchanged).toBe(1);
  expect(await card(1)).toEqual(before);

  const nulls = Object.fromEntries(Object.keys(full).map((name) => [name, null]));
  const summary = await appliance.importRows("channels", [{ ...nulls, id: 1 }]);
  expect(summary.updated).toBe(1);
  const cleared = await card(1);
  for (const name of ["handle", "description", "link", "image", "category", "territory"]) {
    expect(cleared[name]).toBeNull();
  }
  expect(cleared).toMatchObject({ quality: null, citation: null, last_post_at: null });
  expect(cleared.categories).toEqual([]);
  expect((await appliance.get("/v1/msgr/channels/resolve/?q=9")).status).toBe(404);
  // A null for a required value counts as not given.
  expect(cleared).toMatchObject({ title: "A", subscribers: 5 });
});

test("null for a column that always has a value counts as not given", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 5, kind: "chat", a_plus: true, verified: true },
  ]);
  const { unchanged } = await appliance.importRows("channels", [
    {
      id: 1,
      title: null,
      subscribers: null,
      kind: null,
      a_plus: null,
      verified: null,
      is_public: null,
    },
  ]);
  expect(unchanged).toBe(1);
  const { rejects } = await appliance.importRows("channels", [
    { id: 2, title: null, subscribers: 1 },
  ]);
  expect(rejects).toMatchObject([{ column: "title" }]);
});

test("a handle that a row gives to another channel moves there, whatever its case", async () => {
  await appliance.importRows("channels", [
    { id: 1, handle: "news", title: "Старые", subscribers: 1 },
    { id: 2, title: "Новые", subscribers: 1 },
  ]);
  expect(await ids("q=news")).toEqual([1]);
  const summary = await appliance.importRows("channels", [
    { id: 2, handle: "NEWS" },
    { id: 3, handle: "three", title: "C", subscribers: 1 },
  ]);
  expect(counts(summary)).toMatchObject({ inserted: 1, updated: 1, rejected: 0 });
  expect((await card(1)).handle).toBeNull();
  expect((await card("news")).id).toBe(2);
  expect(await ids("q=news")).toEqual([2]);

  await appliance.importRows("channels", [{ id: 4, handle: "Three", title: "D", subscribers: 1 }]);
  expect((await card(3)).handle).toBeNull();
  expect((await card("three")).id).toBe(4);
});

test("a msgr_id that another channel has is rejected and changes nothing", async () => {
  await appliance.importRows("channels", [
    { id: 1, msgr_id: 100, handle: "one", title: "A", subscribers: 1 },
    { id: 2, msgr_id: 200, handle: "two", title: "B", subscribers: 1 },
  ]);
  const { rejects } = await appliance.importRows("channels", [
    { id: 2, msgr_id: 100, handle: "one", title: "changed" },
    { id: 3, msgr_id: 100, title: "C", subscribers: 1 },
  ]);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "msgr_id"],
    [2, "msgr_id"],
  ]);
  expect(rejects[0]?.reason).toContain("Channel 1");
  expect(await card(1)).toMatchObject({ handle: "one" });
  expect(await card(2)).toMatchObject({ handle: "two", title: "B" });
});

test("a category or territory that does not exist is rejected with a reason that names it", async () => {
  const { rejects, inserted } = await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 1, category: "nope" },
    { id: 2, title: "A", subscribers: 1, categories: ["auto", "nope"] },
    { id: 3, title: "A", subscribers: 1, territory: "atlantis" },
    { id: 4, title: "A", subscribers: 1, category: "auto", territory: "russia" },
  ]);
  expect(inserted).toBe(1);
  expect(rejects).toEqual([
    {
      ...{ line: 1, column: "category", reason: "There is no category with this code or name." },
      fields: { id: 1, title: "A", subscribers: 1, category: "nope" },
    },
    {
      ...{ line: 2, column: "categories", reason: "Object with slug=nope does not exist." },
      fields: { id: 2, title: "A", subscribers: 1, categories: ["auto", "nope"] },
    },
    {
      ...{ line: 3, column: "territory", reason: "There is no territory with this code or name." },
      fields: { id: 3, title: "A", subscribers: 1, territory: "atlantis" },
    },
  ]);
});

test("additional categories are a text separated by spaces, or a JSON array", async () => {
  await importText(
    appliance,
    "channels",
    "id,title,subscribers,category,categories\n1,A,1,auto,blogs  games blogs\n",
  );
  expect((await card(1)).categories).toEqual(["blogs", "games"]);
  await appliance.importRows("channels", [{ id: 1, categories: ["games"] }]);
  expect((await card(1)).categories).toEqual(["games"]);
  expect(await ids("category=games")).toEqual([1]);
  expect(await ids("category=blogs")).toEqual([]);
  const { rejects } = await appliance.importRows("channels", [{ id: 1, categories: ["games", 5] }]);
  expect(rejects).toMatchObject([{ column: "categories" }]);
});

test("the catalog's filters and search follow every change of a channel", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "Ёлки", subscribers: 1, category: "auto", territory: "russia", a_plus: true },
  ]);
  expect(await ids("q=елки&category=auto&territory=russia&a_plus=true")).toEqual([1]);
  await appliance.importRows("channels", [
    { id: 1, title: "Палки", category: "blogs", a_plus: false, verified: true },
  ]);
  expect(await ids("q=елки")).toEqual([]);
  expect(await ids("category=auto")).toEqual([]);
  expect(await ids("a_plus=true")).toEqual([]);
  expect(await ids("q=палки&category=blogs&verified=true")).toEqual([1]);
  await appliance.importRows("channels", [{ id: 1, is_public: false }]);
  expect(await ids("q=палки")).toEqual([]);
  expect(await ids("")).toEqual([]);
  await appliance.importRows("channels", [{ id: 1, is_public: true }]);
  expect(await ids("q=палки")).toEqual([1]);
  await appliance.importRows("channels", [
    { id: 1, subscribers: 50_000 },
    { id: 2, title: "Палки", subscribers: 100 },
    { id: 2, subscribers: 20 },
    { id: 2, subscribers: 2000 },
  ]);
  expect(await ids("q=палки")).toEqual([1, 2]);
  expect(await ids("q=палки&subscribers_max=3000")).toEqual([2]);
  expect(await ids("q=палки&subscribers_min=3000&ordering=-quality")).toEqual([1]);
});

test("every spelling of a boolean is accepted, in CSV and in NDJSON", async () => {
  const spellings: [unknown, boolean][] = [
    ...["true", "True", "TRUE", "1", "yes", "Yes"].map((text): [unknown, boolean] => [text, true]),
    ...["false", "False", "FALSE", "0", "no", "NO"].map((text): [unknown, boolean] => [
      text,
      false,
    ]),
    ...([
      [true, true],
      [false, false],
      [1, true],
      [0, false],
    ] as [unknown, boolean][]),
  ];
  for (const [cell, meant] of spellings) {
    await appliance.importRows("channels", [{ id: 1, title: "A", subscribers: 1, a_plus: !meant }]);
    expect((await appliance.importRows("channels", [{ id: 1, a_plus: cell }])).updated).toBe(1);
    expect((await card(1)).a_plus).toBe(meant);
  }
  for (const cell of ["", "on", "2", "maybe", 2, {}]) {
    const { rejects } = await appliance.importRows("channels", [{ id: 1, a_plus: cell }]);
    expect(rejects, JSON.stringify(cell)).toMatchObject([
      { column: "a_plus", reason: "Must be a valid boolean." },
    ]);
  }
});

test("a JSON list is not accepted as a boolean, whatever it contains", async () => {
  const { rejects } = await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 1, a_plus: [true] },
  ]);
  expect(rejects).toMatchObject([{ column: "a_plus", reason: "Must be a valid boolean." }]);
});

test("timestamps may have any offset, Z and any fraction, and are stored in milliseconds", async () => {
  const instant = (cell: string) => ({ id: 1, title: "A", subscribers: 1, last_post_at: cell });
  for (const cell of [
    "2026-11-19T14:03:07+03:00",
    "2026-11-19T11:03:07Z",
    "2026-11-19t11:03:07z",
    "2026-11-19T11:03:07.5Z",
    "2026-11-19T11:03:07.999999999Z",
    "2026-11-19 06:03:07-05:00",
    "2026-11-19T16:33:07+05:30",
    "2026-11-19T14:03:07+0300",
  ]) {
    expect((await appliance.importRows("channels", [instant(cell)])).rejects).toEqual([]);
    expect((await card(1)).last_post_at, cell).toBe("2026-11-19T14:03:07+03:00");
  }
  await appliance.importRows("channels", [instant("2026-11-19T11:03:07.0019Z")]);
  const again = await appliance.importRows("channels", [instant("2026-11-19T11:03:07.001Z")]);
  expect(again.unchanged).toBe(1);
  const other = await appliance.importRows("channels", [instant("2026-11-19T11:03:07.002Z")]);
  expect(other.updated).toBe(1);
});

test("an offset of whole hours may lack minutes, as PostgreSQL prints it", async () => {
  const { rejects } = await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 1, last_post_at: "2026-11-19 14:03:07+03" },
  ]);
  expect(rejects).toEqual([]);
});

test("times that do not exist are rejected", async () => {
  for (const cell of [
    "2025-02-30T00:00:00",
    "2025-02-30T00:00:00Z",
    "2026-11-20T24:00:01Z",
    "2026-11-20T12:60:00Z",
    "2026-13-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "yesterday",
    1_790_000,
  ]) {
    const { rejects } = await appliance.importRows("channels", [
      { id: 1, title: "A", subscribers: 1, last_post_at: cell },
    ]);
    expect(rejects, String(cell)).toMatchObject([{ line: 1, column: "last_post_at" }]);
  }
});

test("a value in the wrong form is rejected, naming its column", async () => {
  const wrong: [string, unknown][] = [
    ["id", "x"],
    ["id", 0],
    ["id", 1.5],
    ["id", 2 ** 53],
    ["id", "99999999999999999999"],
    ["msgr_id", "1e5"],
    ["subscribers", -1],
    ["subscribers", "5.5"],
    ["handle", "12345"],
    ["handle", "a b"],
    ["handle", "канал"],
    ["handle", 5],
    ["title", "x".repeat(501)],
    ["title", ["x"]],
    ["description", 5],
    ["description", "x".repeat(10_001)],
    ["link", "javascript:alert(1)"],
    ["link", "t.me one"],
    ["image", "https://"],
    ["kind", "group"],
    ["quality", "high"],
    ["quality", Number.POSITIVE_INFINITY],
    ["category", "Not A Slug"],
  ];
  for (const [column, value] of wrong) {
    const { rejects } = await appliance.importRows("channels", [
      { id: 1, title: "A", subscribers: 1, [column]: value },
    ]);
    expect(rejects, `${column} ${String(value)}`).toMatchObject([{ line: 1, column }]);
  }
});

test("lengths are counted in code points, and titles stay on one line", async () => {
  const { rejects } = await appliance.importRows("channels", [
    { id: 1, title: "😀".repeat(500), subscribers: 1 },
    { id: 2, title: " two\r\nlines\0 ", subscribers: 1 },
  ]);
  expect(rejects).toEqual([]);
  expect((await card(2)).title).toBe("two lines");
});

test("an address is stored without NUL, and with half a surrogate pair replaced", async () => {
  const row = {
    id: 1,
    title: "A",
    subscribers: 1,
    link: "https://a/\ud800",
    image: "https://a/\0b",
  };
  await appliance.importRows("channels", [row]);
  expect(await card(1)).toMatchObject({ link: "https://a/\ufffd", image: "https://a/b" });
  expect((await appliance.importRows("channels", [row])).unchanged).toBe(1);
});

test("the largest possible number of a channel does not keep later channels from getting one", async () => {
  await appliance.importRows("channels", [
    { id: Number.MAX_SAFE_INTEGER, title: "A", subscribers: 1 },
  ]);
  await appliance.importRows("channels", [{ handle: "next", title: "B", subscribers: 1 }]);
  const next = await card("next");
  expect(next.title).toBe("B");
  expect(Number.isSafeInteger(next.id)).toBe(true);
});

test("an instant after the year 9999 in Moscow is rejected, because it cannot be written", async () => {
  for (const cell of ["9999-12-31T23:59:59-12:00", "9999-12-31T21:00:00Z"]) {
    const { rejects } = await appliance.importRows("channels", [
      { id: 1, title: "A", subscribers: 1, last_post_at: cell },
    ]);
    expect(rejects, cell).toMatchObject([{ line: 1, column: "last_post_at" }]);
  }
});

test("a last post more than 5 minutes in the future is dropped, from a refresh as from a complete row", async () => {
  const ahead = new Date(appliance.ports.clock.now() + 5 * 60_000 + 1).toISOString();
  const at = new Date(appliance.ports.clock.now() + 5 * 60_000).toISOString();
  const whole = { id: 1, title: "Один", subscribers: 5, last_post_at: ahead };
  for (const row of [whole, { id: 1, subscribers: 6, last_post_at: ahead }]) {
    const { rejected, warnings } = await importText(appliance, "channels", JSON.stringify(row));
    expect(rejected).toBe(0);
    expect(warnings).toMatchObject([{ column: "last_post_at", fault: { code: "inFuture" } }]);
    expect(await card(1)).toMatchObject({ subscribers: row.subscribers, last_post_at: null });
  }
  await appliance.importRows("channels", [{ id: 1, last_post_at: at }]);
  expect((await card(1)).last_post_at).not.toBeNull();
});

test("the primary category is removed from the additional ones", async () => {
  const row = {
    id: 1,
    title: "Один",
    subscribers: 5,
    category: "news",
    categories: "news science",
  };
  await appliance.importRows("channels", [row]);
  expect(await card(1)).toMatchObject({ category: "news", categories: ["science"] });
  expect(await appliance.importRows("channels", [row])).toMatchObject({ unchanged: 1 });
  await appliance.importRows("channels", [{ id: 1, category: "science" }]);
  expect(await card(1)).toMatchObject({ category: "science", categories: [] });
});

test("an interrupted import also recounts the channels of the directories", async () => {
  const rows = Array.from({ length: 6_000 }, (_, at) =>
    JSON.stringify({ id: at + 1, title: "A", subscribers: 1, category: "news" }),
  );
  const { inserted } = await importText(appliance, "channels", rows.join("\n"), {
    isInterrupted: true,
  });
  expect(inserted).toBeWithin(1, 5_000);
  const { results } = (await appliance.get("/v1/msgr/categories/")).body;
  const news = results.find(({ slug }: { slug: string }) => slug === "news");
  expect(news.channels).toBe(inserted);
});
