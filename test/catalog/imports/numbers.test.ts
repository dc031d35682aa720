import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { importText } from "../../support/import-text.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

/**
 * Every second row has a number, the highest first; numbers generated without reading all would be those of
 * other rows.
 */
const MIXED = Array.from({ length: 120 }, (_, at) => ({ at, id: at % 2 === 0 ? null : 120 - at }));
const NAMES = MIXED.map(({ at }) => `name${at}`).toSorted();

const channelRows = MIXED.map(({ at, id }) => ({
  ...{ id, handle: `name${at}`, title: `name${at}`, subscribers: 1 },
}));
const postRows = MIXED.map(({ at, id }) => ({
  ...{ id, channel: 1, msgr_post_id: at, text: `name${at}`, published_at: "2026-11-19T10:00:00Z" },
}));
const FILES = { channels: channelRows, posts: postRows };

const FORMATS = {
  ndjson: (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n"),
  json: (rows: readonly object[]) => JSON.stringify(rows),
  csv(rows: readonly object[]) {
    const lines = rows.map((row) => Object.values(row).join(","));
    return [Object.keys(rows[0] ?? {}).join(","), ...lines].join("\n");
  },
};

function stored(kind: "channels" | "posts"): string[] {
  const { db } = appliance.app.domains;
  const sql = kind === "channels" ? "SELECT title AS name FROM channel_cards" : TEXTS;
  return db
    .prepare<{ name: string }>(sql)
    .all()
    .map(({ name }) => name)
    .toSorted();
}
const TEXTS = "SELECT text AS name FROM posts";

describe.each([["channels"], ["posts"]] as const)("%s, some of them with a number", (kind) => {
  beforeEach(async () => {
    if (kind === "posts") await imported(appliance, "channels", [channel(1)]);
  });

  test.each([["ndjson"], ["json"], ["csv"]] as const)(
    "are all imported, none of them under another's number: %s",
    async (format) => {
      const text = FORMATS[format](FILES[kind]);
      const { inserted, rejects } = await importText(appliance, kind, text, { chunkBytes: 512 });
      expect({ inserted, rejects }).toEqual({ inserted: MIXED.length, rejects: [] });
      expect(stored(kind)).toEqual(NAMES);
      expect((await importText(appliance, kind, text)).unchanged).toBe(MIXED.length);
    },
  );

  test("are all imported if numbers are spelled differently and their column has another name", async () => {
    const rows = FILES[kind].map(({ id, ...row }) => ({ ...row, Номер: id && ` ${id}.0 ` }));
    const text = FORMATS.ndjson(rows);
    const { rejects } = await importText(appliance, kind, text, { map: { номер: "id" } });
    expect(rejects).toEqual([]);
    expect(stored(kind)).toEqual(NAMES);
  });
});

test("rows without numbers keep those they got if the import is interrupted and repeated", async () => {
  const row = (at: number) => ({ handle: `name${at}`, title: `name${at}`, subscribers: 1 });
  // The first half is read, and committed, before the rest.
  const rows = Array.from({ length: 10_000 }, (_, at) =>
    at < 5_000 ? row(at) : { id: at - 4_999, ...row(at) },
  );
  const text = FORMATS.ndjson(rows);
  const first = await importText(appliance, "channels", text, {
    ...{ isInterrupted: true, chunkBytes: 65_536 },
  });
  expect(first.inserted).toBeLessThan(10_000);
  const second = await importText(appliance, "channels", text);
  expect(second).toMatchObject({ inserted: 10_000 - first.inserted, unchanged: first.inserted });
  expect(stored("channels")).toEqual(rows.map(({ title }) => title).toSorted());
});

test("a number that its column refuses does not affect generated numbers", async () => {
  const rows = [
    { handle: "a", title: "A", subscribers: 1 },
    { ...{ id: 2 ** 60, handle: "b", title: "B", subscribers: 1 } },
  ];
  const { rejected } = await importText(appliance, "channels", FORMATS.ndjson(rows));
  expect(rejected).toBe(1);
  expect((await appliance.get("/v1/msgr/channels/a/")).body.id).toBe(1);
});

test("a post taken down before it was imported does not get a number that a later row names", async () => {
  await imported(appliance, "channels", [channel(1)]);
  const rows = [
    { channel: 1, msgr_post_id: 7, deleted: true },
    { ...{ id: 1, channel: 1, msgr_post_id: 8, text: "A", published_at: "2026-11-19T10:00:00Z" } },
  ];
  const { rejects } = await importText(appliance, "posts", FORMATS.ndjson(rows));
  expect(rejects).toEqual([]);
  expect(stored("posts")).toEqual(["A"]);
});

test.each([
  ["categories", {}],
  ["territories", { kind: "country" }],
] as const)(
  "%s without numbers get none that a later row of the file names",
  async (kind, more) => {
    const { db } = appliance.app.domains;
    const highest = db.prepare<{ id: number }>(`SELECT max(id) AS id FROM ${kind}`).get()?.id ?? 0;
    const rows = [
      { slug: "one", name: "One", ...more },
      { slug: "two", name: "Two", ...more, id: highest + 1 },
      { slug: "three", name: "Three", ...more },
    ];
    const { inserted, rejects } = await importText(appliance, kind, FORMATS.ndjson(rows));
    expect({ inserted, rejects }).toEqual({ inserted: 3, rejects: [] });
    const ids = db.prepare<{ id: number }>(
      `SELECT id FROM ${kind} WHERE id > ${highest} ORDER BY id`,
    );
    expect(ids.all()).toEqual([1, 2, 3].map((more) => ({ id: highest + more })));
  },
);

test.each([
  ["categories", {}],
  ["territories", { kind: "country" }],
] as const)("%s without numbers get none beyond the largest", async (kind, more) => {
  const rows = [
    { slug: "one", name: "One", ...more, id: 2 ** 22 },
    { slug: "two", name: "Two", ...more },
    { slug: "three", name: "Three", ...more, id: 2 ** 22 - 1 },
  ];
  const { inserted, rejects } = await importText(appliance, kind, FORMATS.ndjson(rows));
  expect(inserted).toBe(1);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "id"],
    [2, "id"],
  ]);
});
