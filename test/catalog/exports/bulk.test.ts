import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import type { BulkSelection } from "../../../src/catalog/exports/bulk-selection.ts";
import { bulkPart } from "../../../src/catalog/exports/export-part.ts";
import type { Position } from "../../../src/catalog/imports/kinds/exported-rows.ts";
import type { Fields } from "../../../src/catalog/imports/reading/recognized.ts";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import type { PostFilter } from "../../../src/catalog/post-search/post-search.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import { letGoOldParts, removeOldMonths } from "../../../src/upkeep/retention/old-months.ts";
import { DAY_MS, parseDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, expectFaults, expectRefusal, imported } from "../../support/expectations.ts";
import { exported } from "../../support/exporting.ts";
import { until } from "../../support/until.ts";

/** Customers' bulk export (questions, section 5). */

let appliance: Appliance;
let customer: Customer;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0" });
  customer = await appliance.customer();
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const get = (path: string) => appliance.request(`/v1/msgr/export/${path}`, { key: customer.key });
const linesOf = (body: string): string[] => body.split("\n").filter((line) => line !== "");
const idsOf = (body: string): unknown[] => linesOf(body).map((line) => JSON.parse(line).id);
const used = (): number =>
  statement<{ used: number }>(
    appliance.app.domains.db,
    "SELECT sum(used) AS used FROM usage_periods",
  ).get()?.used ?? 0;
const usage = (): object[] =>
  statement<object>(
    appliance.app.domains.db,
    "SELECT method, status, requests, units FROM usage_days",
  ).all();

const many = (count: number, more: (id: number) => Fields = () => ({})): Fields[] =>
  Array.from({ length: count }, (_, at) => channel(at + 1, more(at + 1)));
const posts = (count: number, of = 1): Fields[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: at + 1, channel: of, text: `Post ${at + 1}`, views: at },
    published_at: new Date(Date.parse("2026-11-01T00:00:00+03:00") + at * 60_000).toISOString(),
  }));

const ALL_POSTS: BulkSelection = {
  ...{ rows: "posts", format: "ndjson", from: null, to: null, isAd: null, channelId: null },
  ...{ kind: null, category: null, territories: null, aPlus: null, verified: null, text: null },
  ...{ subscribersMin: null, subscribersMax: null },
  metricsMin: {},
  removals: { number: 0, leftOutBefore: null },
  ...{ media: null, viewsMin: null, found: null },
};

const ALL_FOUND: PostFilter = {
  ...{ channelId: null, categoryId: null, territoryId: null, fromMs: null, untilMs: null },
  ...{ isAd: null, media: null, viewsMin: null },
};

describe("an export", () => {
  test("contains the cards of public channels only, as the API shows them", async () => {
    const odd = { title: '=1+1, "q"\n', handle: "one", description: "", categories: "news auto" };
    await imported(appliance, "channels", [
      channel(1, { ...odd, category: "science", quality: 1.5 }),
      channel(2, { is_public: false }),
      channel(3, { msgr_id: "77" }),
    ]);
    const cards = (await appliance.get("/v1/msgr/channels/?ids=1,3", customer.key)).body.results;
    const { body, headers } = await get("channels/?format=ndjson");
    expect(linesOf(body).map((line) => JSON.parse(line))).toEqual(cards);
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    expect(headers.get("content-disposition")).toBe('attachment; filename="channels.ndjson"');
    expect(headers.get("x-export-cursor")).toBe("id");
    const csv = await get("channels/");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [columns = "", first = ""] = csv.body.split("\n");
    expect(columns).toBe(Object.keys(cards[0]).join(","));
    // A cell that a spreadsheet would run gets an apostrophe, as in the operator's exports.
    expect(first).toStartWith(`1,one,"'=1+1, ""q""`);
    for (const hidden of ["msgr_id", "is_public", "77"]) expect(csv.body).not.toContain(hidden);
  });

  test("contains all posts that a search finds, newest first, and continues after any of them", async () => {
    await imported(appliance, "channels", [channel(1), channel(2, { is_public: false })]);
    const found = (id: number): Fields => ({
      ...{ media: id % 2 ? "photo" : null, text: id % 3 ? `Дом ${id}` : `Дома ${id}` },
    });
    await imported(appliance, "posts", [
      ...posts(2_300).map((post) => ({ ...post, ...found(post["id"] as number) })),
      { id: 3_000, channel: 1, text: "Дача", published_at: "2026-11-03T10:00:00Z" },
      { id: 3_001, channel: 2, text: "Дом", published_at: "2026-11-03T10:00:00Z" },
    ]);
    const newestFirst = (test: (id: number) => boolean): number[] =>
      Array.from({ length: 2_300 }, (_, at) => 2_300 - at).filter(test);
    const all = await get("posts/?q=дом&format=ndjson");
    expect(idsOf(all.body)).toEqual(newestFirst(() => true));
    expect(all.headers.get("x-export-cursor")).toBe("id");
    expect(used()).toBe(3);
    const first = (await appliance.get("/v1/msgr/posts/2300/", customer.key)).body;
    expect(JSON.parse(linesOf(all.body)[0] ?? "")).toEqual(first);
    const idsFor = async (more: string) => idsOf((await get(`posts/?format=ndjson&${more}`)).body);
    expect(await idsFor("q=дом&media=photo&views_min=1500")).toEqual(
      newestFirst((id) => id % 2 === 1 && id > 1_500),
    );
    expect(await idsFor("q=%3Dдом")).toEqual(newestFirst((id) => id % 3 > 0));
    expect(await idsFor("media=photo&views_min=2290")).toEqual([2_291, 2_293, 2_295, 2_297, 2_299]);
    await imported(appliance, "posts", [{ id: 11, deleted: true }]);
    expect(await idsFor("q=дом&cursor=11")).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    await expectFaults(appliance, "/v1/msgr/export/posts/?q=-дом&cursor=1", {
      q: "Give at least one word to search for; exclusions and signs alone find nothing.",
    });
  });

  test("of a search is refused while the index is being rebuilt, also if that begins meanwhile", async () => {
    await imported(appliance, "channels", [channel(1)]);
    await imported(appliance, "posts", posts(2));
    const { db } = appliance.app.domains;
    const query = readPostQuery("post");
    if (query === null) throw new Error("nothing to search");
    const selection = { ...ALL_POSTS, found: { query, filter: ALL_FOUND } };
    const part = () => bulkPart(db, { selection, after: null, hasHeader: false, rowsMax: 1_000 });
    expect(part().rows).toBe(2);
    db.exec("UPDATE post_search_state SET phase = 'building'");
    expect(part).toThrow("being built");
    expect((await get("posts/?q=post")).status).toBe(503);
  });

  test("contains days and posts as the API shows them, and nothing of hidden channels", async () => {
    await imported(
      appliance,
      "channels",
      many(3, (id) => ({ is_public: id !== 2 })),
    );
    await imported(appliance, "stats", [
      ...[1, 2, 3].map((id) => ({ channel: id, day: "2026-11-02", subscribers: id, views: 9 })),
      { channel: 1, day: "2026-11-04", subscribers: 7 },
    ]);
    await imported(appliance, "posts", [
      ...[1, 2, 3].map((id) => ({
        ...{ id, channel: id, text: "T", published_at: "2026-11-02T10:00:00Z", forwarded_from: 2 },
      })),
      { id: 4, channel: 3, text: "T", published_at: "2026-11-03T10:00:00Z", is_ad: true },
    ]);
    const days = await appliance.get(
      "/v1/msgr/stats/daily/?channels=1,3&from=2026-11-01&to=2026-11-09",
      customer.key,
    );
    const { body } = await get("stats/?format=ndjson");
    expect(linesOf(body).map((line) => JSON.parse(line))).toEqual(days.body.results);
    const read = async (path: string) =>
      linesOf((await get(path)).body).map((line) => JSON.parse(line));
    const one = (await appliance.get("/v1/msgr/posts/1/", customer.key)).body;
    const all = await read("posts/?format=ndjson");
    expect(all.map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(all[0]).toEqual(one);
    expect(all[0].forwarded_from).toBeNull();
    for (const [query, ids] of [
      ["channel=3", [3, 4]],
      ["channel=3&is_ad=true", [4]],
      ["is_ad=false", [1, 3]],
      ["from=2026-11-03", [4]],
      ["channel=3&to=2026-11-02", [3]],
    ] as const) {
      const found = await read(`posts/?format=ndjson&${query}`);
      expect(
        found.map(({ id }) => id),
        query,
      ).toEqual([...ids]);
    }
    for (const [query, keys] of [
      ["from=2026-11-03", ["1 2026-11-04"]],
      ["to=2026-11-03", ["1 2026-11-02", "3 2026-11-02"]],
      ["from=2026-11-02&to=2026-11-02", ["1 2026-11-02", "3 2026-11-02"]],
      ["channel=3", ["3 2026-11-02"]],
      ["channel=1&from=2026-11-03&to=2026-11-03", []],
    ] as const) {
      const found = await read(`stats/?format=ndjson&${query}`);
      expect(
        found.map(({ channel, day }) => `${channel} ${day}`),
        query,
      ).toEqual([...keys]);
    }
  });

  test("accepts the catalog's filters, and contains what the catalog finds", async () => {
    await imported(
      appliance,
      "channels",
      many(60, (id) => ({
        ...{ handle: `Handle_${id}`, title: id % 7 === 0 ? "Новости Ёлки" : `Channel ${id}` },
        ...{ subscribers: id * 10, a_plus: id % 2 === 0, verified: id % 3 === 0 },
        ...{
          category: id % 5 === 0 ? "science" : "news",
          kind: id % 11 === 0 ? "chat" : "channel",
        },
        territory: id % 4 === 0 ? "moskva" : null,
      })),
    );
    const { app, ports } = appliance;
    await imported(appliance, "stats", [
      ...Array.from({ length: 12 }, (_, at) => ({
        ...{ channel: at + 1, day: "2026-11-12", subscribers: 1000 },
      })),
      ...Array.from({ length: 12 }, (_, at) => ({
        ...{ channel: at + 1, day: "2026-11-19", subscribers: 1000 + at },
      })),
      { channel: 3, day: "2026-10-20", subscribers: 800 },
      { channel: 5, day: "2026-10-20", subscribers: 1001 },
    ]);
    await computeMetrics(app.domains.db, ports.clock);
    for (const query of [
      "growth_30d_min=200",
      "growth_30d_min=3&kind=channel",
      "reach_30d_min=1",
      "category=science",
      "territory=russia&a_plus=true",
      "kind=chat",
      "subscribers_min=100&subscribers_max=300&verified=false",
      "subscribers_min=100&subscribers_max=100",
      "q=елки",
      "q=HANDLE_1",
      "q=@handle_12",
      "q=t.me/nobody",
      "category=news&q=елки&a_plus=0",
    ]) {
      const { body } = await appliance.get(`/v1/msgr/channels/?limit=100&${query}`, customer.key);
      const wanted = body.results
        .map(({ id }: { id: number }) => id)
        .toSorted((a: number, b: number) => a - b);
      expect(idsOf((await get(`channels/?format=ndjson&${query}`)).body), query).toEqual(wanted);
    }
    await imported(appliance, "posts", posts(3, 5));
    expect(idsOf((await get("posts/?format=ndjson&category=science")).body)).toEqual([1, 2, 3]);
    expect(idsOf((await get("posts/?format=ndjson&category=news")).body)).toEqual([]);
  });

  test("finds posts by day, category or advertising without reading all others", async () => {
    const { db } = appliance.app.domains;
    await imported(appliance, "channels", [
      ...[1, 2, 3].map((id) => channel(id)),
      channel(4, { category: "science" }),
    ]);
    const row = (id: number, of: number, day: string, more: Fields = {}): Fields => ({
      ...{ id, channel: of, text: "T", published_at: `${day}T10:00:00Z`, ...more },
    });
    await imported(appliance, "posts", [
      ...posts(2_500).map((post) => ({ ...post, published_at: "2026-10-01T10:00:00Z" })),
      row(3_001, 4, "2026-10-01"),
      row(3_002, 2, "2026-11-02", { is_ad: true }),
      row(3_003, 1, "2026-11-02"),
      row(3_004, 2, "2026-11-03"),
    ]);
    const firstPart = (narrowed: Partial<BulkSelection>) => {
      const selection = { ...ALL_POSTS, ...narrowed };
      const { content } = bulkPart(db, {
        selection,
        after: null,
        hasHeader: false,
        rowsMax: 1_000,
      });
      return idsOf(Buffer.from(content).toString());
    };
    const day = (text: string) => parseDay(text);
    expect(firstPart({ from: day("2026-11-02") })).toEqual([3_003, 3_002, 3_004]);
    expect(firstPart({ from: day("2026-11-02"), to: day("2026-11-02") })).toEqual([3_003, 3_002]);
    expect(firstPart({ category: "science" })).toEqual([3_001]);
    expect(firstPart({ isAd: true })).toEqual([3_002]);
    expect(idsOf((await get("posts/?format=ndjson&from=2026-11-02")).body)).toEqual([
      3_003, 3_002, 3_004,
    ]);
  });

  test("omits a channel's posts from the moment it is hidden, even if some were sent", async () => {
    await imported(appliance, "channels", many(2));
    const second = { ...posts(1, 2)[0], id: 9_000 };
    await imported(appliance, "posts", [...posts(30), second]);
    const { db } = appliance.app.domains;
    const selection = { ...ALL_POSTS, from: parseDay("2026-11-01") };
    const part = (after: Position) =>
      bulkPart(db, { selection, after, hasHeader: false, rowsMax: 10 });
    const first = part(null);
    expect(first.rows).toBe(10);
    await appliance.app.domains.channels.setPublic(1, false, COMMAND_LINE);
    expect(idsOf(Buffer.from(part(first.next).content).toString())).toEqual([9_000]);
  });

  test("omits a post from the moment it is taken down", async () => {
    await imported(appliance, "channels", [channel(1)]);
    await imported(appliance, "posts", posts(3));
    await appliance.app.domains.posts.delete([2], COMMAND_LINE);
    expect(idsOf((await get("posts/?format=ndjson")).body)).toEqual([1, 3]);
  });
});

describe("an export of months that are dropped", () => {
  const KEPT = { posts: 3, statistics: 3 };
  const all = (kind: "posts" | "stats", more: Partial<BulkSelection> = {}): BulkSelection => ({
    ...{ ...ALL_POSTS, rows: kind, format: "csv", ...more },
    removals: appliance.app.services.bulk.seenRemovals(kind),
  });
  const read = (selection: BulkSelection, after: Position = null, rowsMax = 2) =>
    bulkPart(appliance.app.domains.db, { selection, after, hasHeader: false, rowsMax });
  const firsts = (csv: Uint8Array): number[] =>
    linesOf(Buffer.from(csv).toString()).map((line) => Number.parseInt(line, 10));

  /** Three posts and days of March, and two each of November, by turns, in one channel. */
  beforeEach(async () => {
    appliance.ports.clock.set("2026-11-28T12:00:00+03:00");
    await imported(appliance, "channels", [channel(1)]);
    const days = ["03-30", "11-01", "03-31", "11-02", "03-29"].map((day) => `2026-${day}`);
    await imported(
      appliance,
      "posts",
      days.map((day, at) => ({
        ...{ id: at + 1, channel: 1, text: "Дом", published_at: `${day}T12:00:00+03:00` },
      })),
    );
    await imported(
      appliance,
      "stats",
      days.map((day) => ({ channel: 1, day, subscribers: 5 })),
    );
  });

  async function drop(): Promise<void> {
    const { db } = appliance.app.domains;
    await letGoOldParts(db, appliance.ports.clock, KEPT);
    await removeOldMonths(db, appliance.ports.clock, KEPT);
  }

  test("fails once it lacks some of them, unless it begins after them, and the next one has none", async () => {
    const query = readPostQuery("дом");
    if (query === null) throw new Error("nothing to search");
    const begun = [
      all("posts"),
      all("posts", { channelId: 1 }),
      all("posts", { found: { query, filter: ALL_FOUND } }),
      all("stats"),
    ].map((selection) => ({ selection, ...read(selection) }));
    const from = parseDay("2026-09-01");
    const later = (["posts", "stats"] as const).map((kind) => all(kind, { from }));
    await drop();
    for (const { selection, next } of begun) {
      expect(() => read(selection, next)).toThrow("Rows before 2026-09-01 are no longer kept");
    }
    for (const selection of later) expect(read(selection).rows).toBe(2);
    for (const kind of ["posts", "stats"] as const) expect(read(all(kind)).rows).toBe(2);
    // A night that removes nothing breaks nothing off.
    const selection = all("posts");
    await drop();
    expect(read(selection).rows).toBe(2);
  });

  test("has none of them while they are being removed, also after the removal was killed", async () => {
    const { db } = appliance.app.domains;
    const { clock } = appliance.ports;
    await letGoOldParts(db, clock, KEPT);
    // As far as the removal came before it was killed.
    db.exec("DELETE FROM posts WHERE id = 1");
    expect(firsts(read(all("posts")).content)).toEqual([2, 4]);
    expect(firsts(read(all("posts", { channelId: 1 })).content)).toEqual([2, 4]);
    expect(idsOf((await get("posts/?format=ndjson")).body)).toEqual([2, 4]);
    const file = await exported(appliance, { kind: "posts" });
    expect(firsts(Buffer.from(file)).slice(1)).toEqual([2, 4]);
    // The next night goes on with it: an export that began meanwhile lacks nothing.
    const selection = all("posts");
    clock.advance(DAY_MS);
    await drop();
    expect(firsts(read(selection).content)).toEqual([2, 4]);
    // An operator who keeps all months again before a removal goes on has the rest of it.
    db.exec(`UPDATE meta SET value = CAST(
                json_set(CAST(value AS TEXT), '$.isOver', json('false')) AS BLOB)
             WHERE name = 'removed posts'`);
    await imported(appliance, "posts", [{ id: 9, channel: 1, published_at: "2026-03-30T10:00Z" }]);
    expect(firsts(read(all("posts")).content)).toEqual([2, 4]);
    clock.advance(3 * DAY_MS);
    expect(firsts(read(all("posts"), null, 9).content)).toEqual([2, 4, 9]);
  });

  test("goes on from a post that was removed with its month", async () => {
    await drop();
    for (const [query, ids] of [
      ["cursor=1", [2, 4]],
      ["channel=1&cursor=1:1", [2, 4]],
      ["channel=1&cursor=1:2", [4]],
    ] as const) {
      const { status, body } = await get(`posts/?format=ndjson&${query}`);
      expect([status, idsOf(body)], query).toEqual([200, [...ids]]);
    }
    expect((await get("posts/?channel=1&cursor=1:77")).status).toBe(400);
    // Newest first, other posts may still follow it: it may also have gone with its channel.
    expect((await get("posts/?q=дом&cursor=1")).status).toBe(400);
  });
});

describe("a unit pays for each 1,000 rows begun", () => {
  for (const [rows, units] of [
    ...[
      [0, 1],
      [1, 1],
      [999, 1],
      [1_000, 1],
      [1_001, 2],
      [2_000, 2],
      [3_500, 4],
    ],
  ] as [number, number][]) {
    test(`${rows} rows cost ${units}, and count as one request`, async () => {
      await imported(appliance, "channels", [
        ...many(rows),
        ...Array.from({ length: 1_500 }, (_, at) => channel(rows + at + 1, { is_public: false })),
      ]);
      const { body, headers } = await get("channels/?format=ndjson");
      expect(linesOf(body)).toHaveLength(rows);
      expect(used()).toBe(units);
      expect(headers.get("x-request-cost")).toBe("1");
      expect(usage()).toEqual([
        { method: "msgr_export_channels_retrieve", status: 200, requests: 1, units },
      ]);
    });
  }

  test("also with long texts, where a part has fewer rows", async () => {
    await imported(appliance, "channels", [channel(1)]);
    await imported(
      appliance,
      "posts",
      posts(1_100).map((row) => ({ ...row, text: "т".repeat(3_000) })),
    );
    const { body } = await get("posts/?format=ndjson");
    expect([linesOf(body).length, used()]).toEqual([1_100, 2]);
  });

  test("each is committed before the first of its rows is sent, and none for rows that are not read", async () => {
    await imported(appliance, "channels", many(5_000));
    const request = new Request("http://localhost/v1/msgr/export/channels/?format=ndjson", {
      headers: { authorization: `Bearer ${customer.key}` },
    });
    const response = await appliance.app.server.handle(request);
    expect(used()).toBe(1);
    const reader = response.body?.getReader();
    let text = "";
    while (linesOf(text).length < 2_500) {
      const { value = new Uint8Array() } = (await reader?.read()) ?? {};
      text += Buffer.from(value).toString();
      const begun = Math.ceil(linesOf(text).length / 1_000);
      expect(used()).toBeGreaterThanOrEqual(begun);
      expect(used()).toBeLessThanOrEqual(begun + 1);
    }
    await reader?.cancel();
    const paid = used();
    expect([used(), paid <= 4]).toEqual([paid, true]);
    // The export released its place.
    for (let at = 0; at < 3; at++) expect((await get("stats/")).status).toBe(200);
  });

  test("a broken connection costs what was sent, and releases the export's place", async () => {
    const { db } = appliance.app.domains;
    await imported(appliance, "channels", [channel(1)]);
    // Texts so long that the buffers between server and a pausing client hold less than a thousand rows.
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      INSERT INTO posts (id, channel_id, published_at, is_ad, views, read_at, text)
      SELECT i, 1, 1700000000000 + i, 0, 0, 0, hex(zeroblob(10000)) FROM n`);
    const address = new URL(appliance.app.listen());
    const socket = connect(Number(address.port), address.hostname);
    await new Promise<void>((resolve) => {
      let lines = 0;
      socket.on("data", (bytes) => {
        for (const byte of bytes) if (byte === 10) lines += 1;
        if (lines < 1_200) return;
        socket.pause();
        resolve();
      });
      socket.write(
        "GET /v1/msgr/export/posts/?format=ndjson HTTP/1.1\r\nHost: localhost\r\n" +
          `Authorization: Bearer ${customer.key}\r\n\r\n`,
      );
    });
    socket.destroy();
    const areBothFree = async (): Promise<boolean> => {
      const [one, two] = await Promise.all([get("stats/"), get("stats/")]);
      return one.status === 200 && two.status === 200;
    };
    await until(areBothFree);
    const [{ units } = { units: 0 }] = statement<{ units: number }>(
      db,
      "SELECT units FROM usage_days WHERE method = 'msgr_export_posts_retrieve'",
    ).all();
    expect(units).toBeWithin(2, 4);
  });

  test("a quota that ends in the middle ends the file with a line that says so, to continue from", async () => {
    await imported(appliance, "channels", many(3_500));
    const { accounts } = appliance.app.domains;
    await accounts.changePlan("profi", { requestsPerPeriod: 2 }, COMMAND_LINE);
    const first = linesOf((await get("channels/?format=ndjson")).body);
    expect(first).toHaveLength(2_001);
    expect(JSON.parse(first.at(-1) ?? "")).toEqual({
      export: {
        code: "quota_exceeded",
        detail: expect.stringContaining("2 requests of the period"),
        cursor: "2000",
      },
    });
    expect(used()).toBe(2);
    await expectRefusal(
      appliance,
      "/v1/msgr/export/channels/",
      429,
      "quota_exceeded",
      customer.key,
    );
    await accounts.changePlan("profi", { requestsPerPeriod: 3 }, COMMAND_LINE);
    const second = linesOf((await get("channels/?cursor=2000")).body);
    expect(second).toHaveLength(1_001);
    expect(second[0]).toStartWith("2001,");
    expect(second.at(-1)).toMatch(/^# quota_exceeded; The 3 requests .*; cursor=3000$/);
    expect(used()).toBe(3);
  });

  test("an export of posts by channel continues too, with the channel in its cursor", async () => {
    await imported(appliance, "channels", many(2));
    await imported(appliance, "posts", posts(1_500, 2));
    const { accounts } = appliance.app.domains;
    await accounts.changePlan("profi", { requestsPerPeriod: 1 }, COMMAND_LINE);
    const first = linesOf((await get("posts/?from=2026-11-01")).body);
    expect(first.at(-1)).toMatch(/^# quota_exceeded; The 1 requests .*; cursor=2:1000$/);
    await accounts.changePlan("profi", { requestsPerPeriod: 2 }, COMMAND_LINE);
    const second = linesOf((await get("posts/?from=2026-11-01&cursor=2:1000")).body);
    expect([second.length, second[0]?.split(",")[0], used()]).toEqual([500, "1001", 2]);
  });
});

describe("each further unit is authorized when its first row is needed:", () => {
  /** Lines that are sent of 3,500 rows if something changes after the first of them arrived. */
  async function sentAfter(change: () => unknown): Promise<string[]> {
    await imported(appliance, "channels", many(3_500));
    const request = new Request("http://localhost/v1/msgr/export/channels/?format=ndjson", {
      headers: { authorization: `Bearer ${customer.key}` },
    });
    const response = await appliance.app.server.handle(request);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    await change();
    let text = Buffer.from(first?.value ?? []).toString();
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return linesOf(text);
      text += Buffer.from(value ?? []).toString();
    }
  }
  const expectCut = (lines: string[], code: string): void => {
    const [rows, units] = [lines.length - 1, used()];
    expect(rows).toBe(1_000 * units);
    expect(rows).toBeLessThan(3_500);
    const { cursor, detail, ...others } = JSON.parse(lines.at(-1) ?? "").export;
    expect([others, cursor]).toEqual([{ code }, String(rows)]);
    expect(detail).not.toBe("");
  };

  test("a revoked key gets no more rows", async () => {
    const { keys } = appliance.app.domains;
    const lines = await sentAfter(() => keys.revokeKey(customer.keyId, COMMAND_LINE));
    expectCut(lines, "authentication_failed");
  });

  test("a plan without exports ends the file", async () => {
    const { accounts } = appliance.app.domains;
    const lines = await sentAfter(() =>
      accounts.givePlan(customer.organizationId, "start", null, COMMAND_LINE),
    );
    expectCut(lines, "tariff_required");
  });

  const HALF_MINUTE_MS = 30_000;

  test("rows sent in a new period are charged to it", async () => {
    const { accounts } = appliance.app.domains;
    await accounts.changePlan("profi", { requestsPerPeriod: 2 }, COMMAND_LINE);
    const { clock } = appliance.ports;
    // The period ends while the client reads, which may take a minute for so few bytes.
    clock.advance(30 * DAY_MS - HALF_MINUTE_MS);
    const lines = await sentAfter(() => clock.advance(2 * HALF_MINUTE_MS - 1));
    const periods = statement<{ used: number }>(
      appliance.app.domains.db,
      "SELECT used FROM usage_periods ORDER BY started_at",
    ).all();
    expect(periods.map((period) => period.used)).toEqual([1, 2]);
    expect(lines).toHaveLength(3_001);
    expect(JSON.parse(lines.at(-1) ?? "").export.code).toBe("quota_exceeded");
  });
});

describe("a cursor is the key of the last row that arrived", () => {
  test("and continues right after it, for each kind and each row", async () => {
    await imported(appliance, "channels", many(5));
    const rows = posts(30).map((row, at) => ({
      ...row,
      channel: 1 + (at % 2),
      // Some share an instant, and the order by time is not that of the numbers.
      published_at: `2026-11-0${1 + ((at * 7) % 5)}T10:00:00Z`,
    }));
    await imported(appliance, "posts", rows);
    await imported(
      appliance,
      "stats",
      [1, 2, 5].flatMap((id) =>
        ["2026-11-01", "2026-11-02"].map((day) => ({ channel: id, day, subscribers: 1 })),
      ),
    );
    for (const path of [
      "channels/?format=ndjson",
      "posts/?format=ndjson",
      "posts/?format=ndjson&channel=1",
      "posts/?format=ndjson&channel=1&from=2026-11-02&to=2026-11-04",
      "posts/?format=ndjson&from=2026-11-02&to=2026-11-04",
      "stats/?format=ndjson",
      "stats/?format=ndjson&from=2026-11-02",
      "stats/?format=ndjson&channel=2",
    ]) {
      const { body, headers } = await get(path);
      const columns = headers.get("x-export-cursor") as "id" | "channel:id" | "channel:day";
      const whole = linesOf(body);
      expect(whole.length, path).toBeGreaterThan(0);
      for (const [at, line] of whole.entries()) {
        const { id, channel: of, day } = JSON.parse(line);
        const cursor = { id, "channel:id": `${of}:${id}`, "channel:day": `${of}:${day}` }[columns];
        const rest = linesOf((await get(`${path}&cursor=${cursor}`)).body);
        expect(rest, `${path} ${cursor}`).toEqual(whole.slice(at + 1));
      }
    }
  });

  test("and continues after a post that was taken down meanwhile", async () => {
    await imported(appliance, "channels", many(2));
    await imported(appliance, "posts", [...posts(5), { ...posts(1, 2)[0], id: 9 }]);
    await appliance.app.domains.posts.delete([2, 5], COMMAND_LINE);
    for (const [query, cursor, left] of [
      ["channel=1", "1:2", [3, 4]],
      ["from=2026-11-01", "1:2", [3, 4, 9]],
      ["from=2026-11-01", "1:5", [9]],
      ["channel=1", "1:5", []],
      ["", "2", [3, 4, 9]],
    ] as const) {
      const { body } = await get(`posts/?format=ndjson&${query}&cursor=${cursor}`);
      expect(idsOf(body), `${query} ${cursor}`).toEqual([...left]);
    }
  });

  test("and continues after a post whose channel was deleted, hidden or merged meanwhile", async () => {
    await imported(appliance, "channels", many(5));
    await imported(
      appliance,
      "posts",
      [1, 2, 3, 4, 5].map((id) => ({ ...posts(1, id)[0], id })),
    );
    await imported(
      appliance,
      "stats",
      [1, 2, 3, 4, 5].map((id) => ({ channel: id, day: "2026-11-02", subscribers: 1 })),
    );
    const { channels } = appliance.app.domains;
    await channels.delete(2, COMMAND_LINE);
    await channels.merge(3, 5, COMMAND_LINE);
    await imported(appliance, "channels", [channel(4, { is_public: false })]);
    for (const gone of [2, 3, 4]) {
      const rest = async (query: string): Promise<Record<string, unknown>[]> =>
        linesOf((await get(query)).body).map((line) => JSON.parse(line));
      const sent = await rest(`posts/?format=ndjson&from=2026-11-01&cursor=${gone}:${gone}`);
      // The merged channel's post now belongs to the other channel.
      expect(sent.map(({ id }) => id).toSorted()).toEqual([3, 5]);
      const days = await rest(`stats/?format=ndjson&cursor=${gone}:2026-11-02`);
      expect(days.map((row) => row["channel"])).toEqual([5]);
      const cards = await rest(`channels/?format=ndjson&cursor=${gone}`);
      expect(cards.map(({ id }) => id)).toEqual([5]);
    }
  });

  test("and anything else is answered with 400", async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    await imported(appliance, "posts", [{ ...posts(1, 2)[0], id: 2 }]);
    for (const [path, wrong] of [
      ["channels/", ["x", "-1", "1:2026-11-01", "1e3", "99999999999999999999", "%00", "%FF"]],
      ["stats/", ["1", "1:2026-02-30", "1:", ":2026-11-01"]],
      ["posts/", ["1:7", "1.5"]],
      ["posts/?channel=1", ["7", "1:7", "1:2", "2:7", "2:2", "1:1.5", "1:"]],
    ] as const) {
      for (const cursor of wrong) {
        const { status, body } = await get(
          `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`,
        );
        expect([status, Object.keys(body)], `${path} ${cursor}`).toEqual([400, ["cursor"]]);
      }
    }
  });
});

describe("the request", () => {
  test("needs the Profi plan, and its faults are named", async () => {
    for (const plan of ["test", "start", "growth"] as const) {
      const { key } = await appliance.customer({ plan });
      for (const rows of ["channels", "stats", "posts"]) {
        await expectRefusal(appliance, `/v1/msgr/export/${rows}/`, 403, "tariff_required", key);
      }
    }
    expect(used()).toBe(0);
    const faults = (path: string, expected: Record<string, string>) =>
      expectFaults(appliance, `/v1/msgr/export/${path}`, expected, customer.key);
    await faults("channels/?format=xlsx", { format: '"xlsx" is not a valid choice.' });
    await faults("channels/?q=ab", { q: "Ensure this field has at least 3 characters." });
    await faults("posts/?category=nope&territory=no", {
      category: "Object with slug=nope does not exist.",
      territory: "Object with slug=no does not exist.",
    });
    const { body } = await get("stats/?from=2026-11-02&to=2026-11-01");
    expect(Object.keys(body)).toEqual(["to"]);
    await faults("posts/?channel=nobody", { channel: "There is no channel nobody." });
    await faults("stats/?channel=7&category=nope", {
      channel: "There is no channel 7.",
      category: "Object with slug=nope does not exist.",
    });
  });

  test("is answered compressed if the caller accepts that, with the same contents", async () => {
    await imported(appliance, "channels", many(2_500));
    const plain = (await get("channels/")).body;
    for (const [accepted, isPacked] of [
      ["gzip, br", true],
      ["*", true],
      ["gzip;q=0, *", false],
      ["identity", false],
    ] as const) {
      const request = new Request("http://localhost/v1/msgr/export/channels/", {
        headers: { authorization: `Bearer ${customer.key}`, "accept-encoding": accepted },
      });
      const response = await appliance.app.server.handle(request);
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(response.headers.get("content-encoding"), accepted).toBe(isPacked ? "gzip" : null);
      expect(response.headers.get("vary")).toContain("Accept-Encoding");
      expect(Buffer.from(isPacked ? gunzipSync(bytes) : bytes).toString() === plain).toBe(true);
      if (isPacked) expect(bytes.length).toBeLessThan(plain.length / 4);
    }
  });

  test("may be without an answer for five minutes while nothing is found, unlike other requests", async () => {
    await imported(
      appliance,
      "channels",
      many(3_000, (id) => ({ category: id === 2_900 ? "science" : "news" })),
    );
    const address = appliance.app.listen();
    const { server } = appliance.app.server;
    if (server === null) throw new Error("nothing listens");
    const timeouts = spyOn(server, "timeout");
    const headers = { authorization: `Bearer ${customer.key}` };
    const answerTo = async (path: string) => {
      const response = await fetch(`${address}/v1/msgr/${path}`, { headers });
      return [response.status, await response.text()] as const;
    };
    // The first two parts have no rows, so nothing is sent until the third.
    const [status, body] = await answerTo("export/channels/?format=ndjson&category=science");
    expect([status, idsOf(body)]).toEqual([200, [2_900]]);
    expect(timeouts.mock.calls.map(([, seconds]) => seconds)).toEqual([5 * 60]);
    expect(timeouts.mock.calls[0]?.[0].url).toContain("/v1/msgr/export/channels/");
    expect((await answerTo("channels/"))[0]).toBe(200);
    expect((await answerTo("export/channels/?category=nope"))[0]).toBe(400);
    expect(timeouts).toHaveBeenCalledTimes(1);
  });

  test("leaves no export running if its units cannot be committed", async () => {
    await imported(appliance, "channels", many(3_000));
    const { db } = appliance.app.domains;
    db.pragma("query_only = ON");
    for (let at = 0; at < 3; at++) expect((await get("channels/")).status).toBe(503);
    db.pragma("query_only = OFF");
    expect((await get("channels/")).status).toBe(200);
  });

  test("costs one unit as HEAD and leaves no export running; an organization may have two at once", async () => {
    await imported(appliance, "channels", many(3_000));
    for (let at = 0; at < 3; at++) {
      const path = "/v1/msgr/export/channels/";
      const head = await appliance.request(path, { key: customer.key, method: "HEAD" });
      expect([head.status, head.body]).toEqual([200, ""]);
    }
    expect(used()).toBe(3);
    const open = () =>
      appliance.app.server.handle(
        new Request("http://localhost/v1/msgr/export/channels/", {
          headers: { authorization: `Bearer ${customer.key}` },
        }),
      );
    const [one, two] = [await open(), await open()];
    const third = await get("channels/");
    expect([third.status, third.body.code]).toEqual([429, "throttled"]);
    expect(third.headers.get("retry-after")).toBe("10");
    const other = await appliance.customer();
    const others = await appliance.request("/v1/msgr/export/stats/", { key: other.key });
    expect(others.status).toBe(200);
    await one.body?.cancel();
    expect((await get("stats/")).status).toBe(200);
    await two.text();
    expect(used()).toBe(3 + 1 + 3 + 1 + 1);
  });
});
