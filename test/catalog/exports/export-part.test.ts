import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ExportPart, exportPart } from "../../../src/catalog/exports/export-part.ts";
import { type ExportWish, readExport } from "../../../src/catalog/exports/export-selection.ts";
import type { Position } from "../../../src/catalog/imports/kinds/exported-rows.ts";
import { IMPORT_KIND_NAMES, importKinds } from "../../../src/catalog/imports/kinds/import-kinds.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { AppError } from "../../../src/errors.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";
import { createMachine } from "../../support/machine.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const selectionOf = (wish: Pick<ExportWish, "kind"> & Partial<ExportWish>) =>
  readExport(appliance.app.domains.db, appliance.ports.clock, {
    ...{ format: "csv", isRaw: false, from: "", to: "", channel: "" },
    hosts: appliance.config.messengerHosts,
    openDays: appliance.config.statisticsOpenDays,
    ...wish,
  });

/** Values of the first column, which identifies most rows. */
const firsts = (csv: string): string[] =>
  csv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0] ?? "");

const post = (id: number, more: object = {}) => ({
  ...{ id, channel: 1, text: "Пост", published_at: "2026-11-10T12:00:00+03:00" },
  ...more,
});

/** Columns for import only, because another column contains the same. */
const IMPORTED_ONLY = ["channel_msgr_id"];

describe.each(IMPORT_KIND_NAMES)("%s", (kind) => {
  test("is exported with the columns of the import, except those that repeat other columns", () => {
    const columns = Object.keys(importKinds[kind].columns);
    expect(importKinds[kind].exported.columns).toEqual(
      columns.filter((name) => !IMPORTED_ONLY.includes(name)),
    );
  });
});

describe("a part", () => {
  async function parts(kind: ExportWish["kind"], channelName = "") {
    const selection = selectionOf({ kind, channel: channelName, format: "ndjson" });
    const made: ExportPart[] = [];
    let after: Position = null;
    do {
      const part = exportPart(appliance.app.domains.db, { selection, after, rowsBefore: 0 });
      made.push(part);
      after = part.next;
    } while (after !== null);
    return made;
  }

  test("has at most 1,000 rows, and all parts together have each row once, even at the same instant", async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    const posts = Array.from({ length: 2_500 }, (_, at) => post(at + 1, { channel: 1 + (at % 2) }));
    await imported(appliance, "posts", posts);
    for (const name of ["", "2"]) {
      const made = await parts("posts", name);
      for (const { rows } of made) expect(rows).toBeLessThanOrEqual(1_000);
      const ids = made
        .flatMap(({ content }) => Buffer.from(content).toString().trimEnd().split("\n"))
        .map((line) => JSON.parse(line).id);
      expect(ids).toEqual(
        posts.filter((row) => name === "" || row.channel === 2).map(({ id }) => id),
      );
    }
  });

  test("ends after 262,144 characters, however long the texts are", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const text = "д".repeat(100_000);
    await imported(
      appliance,
      "posts",
      Array.from({ length: 20 }, (_, at) => post(at + 1, { text })),
    );
    const made = await parts("posts");
    for (const { content } of made.slice(0, -1)) expect(content.byteLength).toBeLessThan(700_000);
    expect(made.map(({ rows }) => rows)).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });

  test("leaves no read transaction open that would keep the write-ahead log from restarting", async () => {
    const machine = createMachine();
    await appliance.close();
    appliance = await startAppliance({ KANALOG_DB: machine.database });
    await imported(appliance, "channels", [channel(1)]);
    await imported(
      appliance,
      "posts",
      Array.from({ length: 1_500 }, (_, at) => post(at + 1)),
    );
    const { clock } = appliance.ports;
    const reader = openDatabase(machine.database, clock, "reader");
    try {
      const selection = selectionOf({ kind: "posts" });
      const { next } = exportPart(reader, { selection, after: null, rowsBefore: 0 });
      expect(next).toEqual([1_000]);
      await imported(appliance, "posts", [post(1, { views: 5 }), post(1_001, { views: 7 })]);
      const [emptied] = appliance.app.domains.db.pragma<{ busy: number; log: number }>(
        "wal_checkpoint(TRUNCATE)",
      );
      expect(emptied).toMatchObject({ busy: 0, log: 0 });
      // Later parts are read in their present state.
      const rest = exportPart(reader, { selection, after: next, rowsBefore: 0 });
      expect(Buffer.from(rest.content).toString()).toStartWith("1001,1,,Пост,7,");
    } finally {
      reader.close();
      await machine.leave();
    }
  });
});

describe("a selection", () => {
  beforeEach(async () => {
    await imported(appliance, "channels", [
      channel(1, { handle: "first" }),
      channel(2, { handle: "second", is_public: false }),
    ]);
    await imported(appliance, "posts", [
      post(1, { published_at: "2026-11-09T23:59:59.999+03:00" }),
      post(2, { published_at: "2026-11-10T00:00:00+03:00" }),
      post(3, { published_at: "2026-11-10T23:59:59.999+03:00", channel: 2 }),
      post(4, { published_at: "2026-11-11T00:00:00+03:00" }),
      post(5, { published_at: "2026-11-12T00:00:00+03:00", channel: 2 }),
    ]);
    const days = ["2026-11-09", "2026-11-10", "2026-11-11"];
    await imported(
      appliance,
      "stats",
      [1, 2].flatMap((of) => days.map((day) => ({ channel: of, day, subscribers: 5 }))),
    );
  });

  test.each([
    ["2026-11-10", "", "", ["2", "3", "4", "5"]],
    ["", "2026-11-10", "", ["1", "2", "3"]],
    ["2026-11-10", "2026-11-10", "", ["2", "3"]],
    ["2026-11-10", "2026-11-11", "1", ["2", "4"]],
    ["", "", "@SECOND", ["3", "5"]],
    ["2026-11-12", "", "https://t.me/second", ["5"]],
    ["2026-11-13", "", "", []],
  ])("of posts from %p to %p of channel %p", async (from, to, name, ids) => {
    expect(firsts(await exported(appliance, { kind: "posts", from, to, channel: name }))).toEqual(
      ids,
    );
  });

  test.each([
    ["2026-11-10", "", "", ["1 10", "1 11", "2 10", "2 11"]],
    ["", "2026-11-09", "", ["1 09", "2 09"]],
    ["2026-11-10", "2026-11-10", "2", ["2 10"]],
    ["", "", "@first", ["1 09", "1 10", "1 11"]],
  ])("of days from %p to %p of channel %p", async (from, to, name, days) => {
    const csv = await exported(appliance, { kind: "stats", from, to, channel: name });
    const found = csv.trimEnd().split("\n").slice(1);
    expect(found.map((line) => line.replace(/^(\d),2026-11-(\d\d),.*/, "$1 $2"))).toEqual(days);
  });

  test("of channels includes hidden ones, or is the one that is named", async () => {
    expect(firsts(await exported(appliance, { kind: "channels" }))).toEqual(["1", "2"]);
    expect(firsts(await exported(appliance, { kind: "channels", channel: "2" }))).toEqual(["2"]);
  });

  test("may name its channel by a former handle or the messenger id", async () => {
    await imported(appliance, "channels", [{ id: 2, handle: "before", msgr_id: 123 }]);
    await imported(appliance, "channels", [{ id: 2, handle: "now" }]);
    for (const name of ["@before", "t.me/now", "t.me/c/123/7", "t.me/c/1/7"]) {
      const file = exported(appliance, { kind: "channels", channel: name });
      if (name.includes("/1/")) await expect(file).rejects.toThrow();
      else expect(firsts(await file), name).toEqual(["2"]);
    }
  });

  test.each([
    [
      { kind: "channels", from: "2026-11-10" },
      "from: Only stats and posts can be limited to a period.",
    ],
    [
      { kind: "categories", to: "2026-11-10" },
      "to: Only stats and posts can be limited to a period.",
    ],
    [
      { kind: "territories", channel: "1" },
      "channel: Only channels, stats and posts can be limited to a channel.",
    ],
    [
      { kind: "posts", from: "10.11.2026" },
      "from: Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
    ],
    [
      { kind: "posts", from: "2026-11-10", to: "2026-11-09" },
      "to: The period ends before it starts.",
    ],
    [
      { kind: "posts", channel: "first name" },
      "channel: Enter a service number, an @handle or a link of the messenger.",
    ],
    [{ kind: "posts", channel: "7" }, "channel: There is no channel 7."],
    [{ kind: "posts", channel: "99999999999999999999" }, "channel: There is no channel 9"],
    [{ kind: "posts", channel: "@nobody" }, "channel: There is no channel @nobody."],
    [{ kind: "posts", channel: "t.me/+invite" }, "channel: There is no channel t.me/+invite."],
    [
      { kind: "posts", format: "ndjson", isRaw: true },
      "raw: Only CSV and Excel files protect texts from spreadsheets: leave this option out for NDJSON.",
    ],
  ] as const)("of %p is refused by name", (wish, expected) => {
    let detail = "nothing was thrown";
    try {
      selectionOf(wish);
    } catch (error) {
      detail = error instanceof AppError ? error.detail : String(error);
    }
    expect(detail).toStartWith(expected);
  });
});

describe("days of statistics", () => {
  const POST = { id: 1, channel: 1, published_at: "2026-11-20T09:00:00Z" };
  const clock = () => appliance.ports.clock;

  /** Nine derived days: the last seven, including today, and two before them. */
  beforeEach(async () => {
    await imported(appliance, "channels", [channel(1)]);
    clock().set("2026-11-28T12:00:00+03:00");
    await imported(appliance, "posts", [{ ...POST, views: 40 }]);
    const days = Array.from({ length: 9 }, (_, at) => `2026-11-${20 + at}`);
    await imported(
      appliance,
      "stats",
      days.map((day) => ({ channel: 1, day, subscribers: 5 })),
    );
  });

  const lines = async () =>
    (await exported(appliance, { kind: "stats" })).trimEnd().split("\n").slice(1);

  test("have empty cells for derived values while they are open, and the values afterwards", async () => {
    expect(await lines()).toEqual([
      "1,2026-11-20,5,40,1",
      "1,2026-11-21,5,0,0",
      ...[22, 23, 24, 25, 26, 27, 28].map((day) => `1,2026-11-${day},5,,`),
    ]);
    clock().set("2026-11-26T12:00:00+03:00");
    expect((await lines())[0]).toBe("1,2026-11-20,5,,");
  });

  test("have given values, separately for views and posts", async () => {
    await imported(appliance, "stats", [
      { channel: 1, day: "2026-11-27", views: 7 },
      { channel: 1, day: "2026-11-28", posts: 3 },
    ]);
    expect((await lines()).slice(-2)).toEqual(["1,2026-11-27,5,7,", "1,2026-11-28,5,,3"]);
    const rows = (await exported(appliance, { kind: "stats", format: "ndjson" })).trimEnd();
    expect(rows.split("\n").slice(-2)).toEqual([
      '{"channel":1,"day":"2026-11-27","subscribers":5,"views":7,"posts":null}',
      '{"channel":1,"day":"2026-11-28","subscribers":5,"views":null,"posts":3}',
    ]);
  });

  test("are open for as long as KANALOG_STATISTICS_OPEN_DAYS says", async () => {
    const openDays = 2;
    const csv = await exported(appliance, { kind: "stats", openDays });
    expect(csv.match(/,5,,$/gm)).toHaveLength(openDays);
  });
});

test("cells are quoted if necessary, null is empty, and formulas get an apostrophe unless raw", async () => {
  await imported(appliance, "channels", [
    channel(1, { title: '=SUM(A1), "x"', handle: "h", a_plus: true, msgr_id: -1001 }),
  ]);
  const line = async (isRaw: boolean) =>
    (await exported(appliance, { kind: "channels", isRaw })).split("\n")[1];
  const rest = ",,,,channel,1000,2026-11-20T12:00:00+03:00,,,,true,false,,,,true,,,";
  expect(await line(false)).toBe(`1,-1001,h,"'=SUM(A1), ""x"""${rest}`);
  expect(await line(true)).toBe(`1,-1001,h,"=SUM(A1), ""x"""${rest}`);
  expect(await exported(appliance, { kind: "channels", format: "ndjson" })).toStartWith(
    '{"id":1,"msgr_id":"-1001","handle":"h","title":"=SUM(A1), \\"x\\"","description":null,',
  );
});

test("the import removes the apostrophe in every column of CSV, and reads NDJSON's texts as they are", async () => {
  const csv = "id,title,subscribers,handle\n'+1,'=1,5,'@own_handle\n2,''=1,5,\n3,'a,5,\n";
  expect((await importText(appliance, "channels", csv)).rejects).toEqual([]);
  const json = `{"id":4,"title":"'=1","subscribers":5}`;
  await importText(appliance, "channels", json, { format: "ndjson" });
  const titles = await exported(appliance, { kind: "channels", format: "ndjson" });
  expect(
    titles
      .trimEnd()
      .split("\n")
      .map((row) => JSON.parse(row).title),
  ).toEqual(["=1", "'=1", "'a", "'=1"]);
  expect(titles).toContain('"handle":"own_handle"');
});

test("an empty table is only a header in CSV, and an empty file in NDJSON", async () => {
  expect(await exported(appliance, { kind: "stats" })).toBe(
    "channel,day,subscribers,views,posts\n",
  );
  expect(await exported(appliance, { kind: "stats", format: "ndjson" })).toBe("");
});
