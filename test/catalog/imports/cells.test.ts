import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { reasonOf } from "../../../src/catalog/imports/writing/import-summary.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { counts, importText } from "../../support/import-text.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("categories", [
    { id: 901, slug: "one-of-two", name: "Двойная" },
    { id: 902, slug: "other-of-two", name: "Двойная" },
  ]);
  await appliance.importRows("channels", [
    { id: 1, handle: "one", title: "One", subscribers: 1, category: "auto", quality: 5 },
  ]);
});
afterEach(() => appliance.close());

const importNdjson = (kind: "channels" | "stats" | "posts", row: object, options = {}) =>
  importText(appliance, kind, JSON.stringify(row), { format: "ndjson", ...options });

async function card(): Promise<Record<string, unknown>> {
  const { body } = await appliance.get("/v1/msgr/channels/1/");
  return body as Record<string, unknown>;
}

/** A cell of the channel's row, and the value that its card then shows. */
const CELLS: [column: string, given: string | number, shown: unknown][] = [
  ["subscribers", " 12 ", 12],
  ["subscribers", "1 292 258", 1292258],
  ["subscribers", "1\u00a0292\u202f258", 1292258],
  ["subscribers", "1476.0", 1476],
  ["subscribers", 1476.0, 1476],
  ["subscribers", "1.2K", 1200],
  ["subscribers", "1,2 К", 1200],
  ["subscribers", "3.4m", 3400000],
  ["subscribers", "220 тыс.", 220000],
  ["subscribers", "1,2\u00a0млн", 1200000],
  ["subscribers", "1,234,567", 1234567],
  ["subscribers", "1.234.000", 1234000],
  ["subscribers", "1234.000", 1234],
  ["subscribers", "None", 1],
  ["subscribers", "NaN", 1],
  ["subscribers", " null ", 1],
  ["category", " news ", "news"],
  ["category", "Новости и СМИ", "news"],
  ["category", " новости и сми ", "news"],
  ["category", "none", "auto"],
  ["territory", " moskva-moskva ", "moskva-moskva"],
  ["territory", "Казань", "kazan"],
  ["territory", " СОЧИ ", "sochi"],
  // The region, which contains the city of the same name.
  ["territory", "Москва", "moskva"],
  ["territory", "москва", "moskva"],
  ["quality", "12,5", 12.5],
  ["quality", " 1 200.5 ", 1200.5],
  ["quality", "nan", 5],
  ["verified", " True ", true],
  ["verified", "1.0", true],
  ["verified", "Да", true],
  ["a_plus", " нет ", false],
  ["description", "None", null],
  ["title", "None", "None"],
  ["link", " https://example.com/ ", "https://example.com/"],
  ["handle", "t.me/two", "two"],
  ["handle", "https://t.me/two/", "two"],
  ["handle", "@two", "two"],
  ["last_post_at", "2025-02-01 12:30", "2025-02-01T12:30:00+03:00"],
  ["last_post_at", "2025-02-01T12:30:59.5", "2025-02-01T12:30:59+03:00"],
  ["last_post_at", "01.02.2025 12:30", "2025-02-01T12:30:00+03:00"],
  ["last_post_at", "1.2.2025, 12:30:01", "2025-02-01T12:30:01+03:00"],
  ["last_post_at", "2025-02-01", "2025-02-01T00:00:00+03:00"],
  ["last_post_at", "1738402200", "2025-02-01T12:30:00+03:00"],
  ["last_post_at", 1738402200, "2025-02-01T12:30:00+03:00"],
  ["last_post_at", "1738402200.0", "2025-02-01T12:30:00+03:00"],
  ["last_post_at", 1738402200000, "2025-02-01T12:30:00+03:00"],
  ["last_post_at", "2025-02-01T09:30:00Z", "2025-02-01T12:30:00+03:00"],
];

describe("a cell is accepted in people's usual spelling", () => {
  for (const [column, cell, shown] of CELLS) {
    test(`${column} ${JSON.stringify(cell)}`, async () => {
      const csv = `id;${column}\n1;"${cell}"\n`;
      for (const content of [csv, JSON.stringify({ id: 1, [column]: cell })]) {
        const result = await importText(appliance, "channels", content, { format: null });
        expect([result.rejects, result.warnings]).toEqual([[], []]);
        expect((await card())[column]).toBe(shown);
      }
    });
  }

  test("ids of channels and posts", async () => {
    await appliance.importRows("channels", [{ id: 1, msgr_id: "1234567890" }]);
    const spellings = ["1234567890.0", " 1234567890 ", "-1001234567890,0"];
    for (const msgr_id of spellings) {
      const row = { msgr_id, title: `Канал ${msgr_id}` };
      expect((await importNdjson("channels", row)).updated, msgr_id).toBe(1);
    }
    const posts = spellings.flatMap((channel_msgr_id) => [
      { channel_msgr_id, msgr_post_id: "7.0", published_at: "2025-02-01" },
      { channel_msgr_id, msgr_post_id: " 7 ", channel: "None", published_at: "2025-02-01" },
      { channel_msgr_id: "NaN", msgr_post_id: 7, channel: "@one", published_at: "2025-02-01" },
    ]);
    const text = posts.map((post) => JSON.stringify(post)).join("\n");
    const { rejects, inserted } = await importText(appliance, "posts", text);
    expect({ rejects, inserted }).toEqual({ rejects: [], inserted: 1 });
    // The program that wrote so many digits with a decimal point may have rounded them.
    const rounded = await importNdjson("channels", { msgr_id: "9007199254740993.0", title: "Т" });
    expect(rounded.rejects).toMatchObject([{ column: "msgr_id" }]);
  });

  for (const day of ["01.02.2025", "1.2.2025", " 2025-02-01 ", "2025-02-01 00:00:00"]) {
    for (const channel of ["@one", "t.me/one", " 1 ", "1.0"]) {
      test(`day ${JSON.stringify(day)} of channel ${JSON.stringify(channel)}`, async () => {
        expect((await importNdjson("stats", { channel, day, subscribers: 7 })).rejects).toEqual([]);
        const { body } = await appliance.get(
          "/v1/msgr/stats/daily/?channels=1&from=2025-02-01&to=2025-02-01",
        );
        expect(body.results).toMatchObject([{ channel: 1, day: "2025-02-01", subscribers: 7 }]);
      });
    }
  }

  test("times without an offset are read in the given time zone, including summer time", async () => {
    for (const [timezone, cell, shown] of [
      ["Europe/Berlin", "2025-01-15 12:00", "2025-01-15T14:00:00+03:00"],
      ["Europe/Berlin", "15.07.2025 12:00", "2025-07-15T13:00:00+03:00"],
      ["Asia/Omsk", "2025-07-15", "2025-07-14T21:00:00+03:00"],
      ["Asia/Omsk", "2025-07-15T12:00:00+03:00", "2025-07-15T12:00:00+03:00"],
    ] as const) {
      const row = { id: 1, last_post_at: cell };
      const { recognized } = await importNdjson("channels", row, { timezone });
      expect(recognized.timezone).toBe(timezone);
      expect((await card())["last_post_at"]).toBe(shown);
    }
  });

  test("an id is rejected in a spelling that may be rounded, grouped or fractional", async () => {
    for (const id of ["1.2K", "1 000", "1,000", "1.5", "12345678901234567.0"]) {
      const { rejects } = await importNdjson("channels", { id, title: "A", subscribers: 1 });
      expect(rejects).toMatchObject([{ column: "id", reason: "A valid integer is required." }]);
    }
  });

  test("a count is rejected if its last three digits may be thousands or a fraction", async () => {
    const sentence = "A valid integer is required.";
    for (const [subscribers, count] of [
      ["12,000", "12000"],
      ["12.000", "12000"],
      [" 12,345 ", "12345"],
      ["1.234", "1234"],
    ] as const) {
      const { rejects } = await importNdjson("channels", { id: 1, subscribers });
      const why = `The separator in ${subscribers.trim()} may be a decimal one`;
      const reason = `${sentence} ${why}: if it separates thousands, write ${count}.`;
      expect(rejects, subscribers).toMatchObject([{ column: "subscribers", reason }]);
    }
    for (const subscribers of ["-1,000", "1,23,456", "1,234.567", "0,123", "1,2345", 12.345]) {
      const { rejects } = await importNdjson("channels", { id: 1, subscribers });
      expect(rejects, String(subscribers)).toMatchObject([
        { column: "subscribers", reason: sentence },
      ]);
    }
    expect((await card())["subscribers"]).toBe(1);
  });
});

const BAD: [column: string, given: unknown, reason: string][] = [
  ["quality", "good", "A valid number is required."],
  ["category", "nothing", "There is no category with this code or name."],
  ["category", "Нет такой", "There is no category with this code or name."],
  [
    "category",
    "Двойная",
    "Several entries have this name. Give one of the codes: one-of-two, other-of-two.",
  ],
  ["territory", "atlantis", "There is no territory with this code or name."],
  ["territory", "Атлантида", "There is no territory with this code or name."],
  [
    "territory",
    "Ялта",
    "Several entries have this name. Give one of the codes: yalta, yalta-krym.",
  ],
  ["territory", ["kazan"], "Enter a code of lower-case letters, digits, hyphens and underscores."],
  ["categories", ["news", "nothing"], "Object with slug=nothing does not exist."],
  ["verified", "maybe", "Must be a valid boolean."],
  ["kind", "shop", '"shop" is not a valid choice. Allowed: channel, chat.'],
  ["link", "no address", "Enter a valid URL."],
  [
    "last_post_at",
    "yesterday",
    "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999.",
  ],
  [
    "last_post_at",
    "2025-02-30 12:00",
    "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999.",
  ],
];

describe("a bad cell of an optional column", () => {
  for (const [column, cell, reason] of BAD) {
    test(`is dropped from its row, or with --strict rejects it: ${column}`, async () => {
      const before = (await card())[column];
      const row = { id: 1, title: "Two", [column]: cell };
      const strict = await importNdjson("channels", row, { strict: true });
      expect(strict.rejects).toMatchObject([{ line: 1, column, reason }]);
      expect((await card())["title"]).toBe("One");
      const { rejects, warnings, updated } = await importNdjson("channels", row);
      expect({ rejects, updated }).toEqual({ rejects: [], updated: 1 });
      expect(warnings).toMatchObject([{ column, count: 1, line: 1 }]);
      expect(await card()).toMatchObject({ title: "Two", [column]: before });
    });
  }

  test("is counted by column and reason with one example, also when rows are inserted together", async () => {
    const rows = Array.from({ length: 100 }, (_, at) => {
      const day = new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10);
      return `1,${day},5,${at % 2 === 0 ? "many" : "3"},${at === 50 ? "-1" : "1"}`;
    });
    const csv = `channel,day,subscribers,views,posts\n${rows.join("\n")}\n`;
    const result = await importText(appliance, "stats", csv);
    expect(counts(result)).toEqual({
      ...{ read: 100, inserted: 100, updated: 0, unchanged: 0, rejected: 0 },
    });
    expect(result.warnings).toEqual([
      {
        ...{ column: "views", count: 50, line: 2, value: "many" },
        fault: { code: "notInteger", values: {} },
      },
      {
        ...{ column: "posts", count: 1, line: 52, value: "-1" },
        fault: { code: "tooSmall", values: { minimum: 0 } },
      },
    ]);
  });
});

test("a bad cell of an identity, a required column or `is_public` rejects its row", async () => {
  const good = { id: 2, title: "A", subscribers: 1 };
  for (const [column, cell] of [
    ["id", "x"],
    ["msgr_id", "x"],
    ["handle", "я"],
    ["title", " "],
    ["subscribers", "many"],
    ["is_public", "perhaps"],
  ] as const) {
    const { rejects, warnings } = await importNdjson("channels", { ...good, [column]: cell });
    expect(warnings).toEqual([]);
    expect(rejects).toMatchObject([{ line: 1, column }]);
  }
  for (const [column, cell] of [
    ["channel", "?"],
    ["msgr_post_id", "x"],
    ["published_at", "late"],
  ] as const) {
    const post = { channel: 1, msgr_post_id: 1, published_at: "2025-01-01T00:00:00Z" };
    const { rejects } = await importNdjson("posts", { ...post, [column]: cell });
    expect(rejects).toMatchObject([{ line: 1, column }]);
  }
});

test("a thousand rows of unknown channels are summed up in one line that says to import channels first", async () => {
  const rows = Array.from({ length: 1000 }, (_, at) => `@c${at},2025-01-01,1`);
  const csv = `channel,day,subscribers\n${rows.join("\n")}`;
  const result = await importText(appliance, "stats", csv);
  expect(result.rejected).toBe(1000);
  expect(result.groups).toMatchObject([{ column: "channel", count: 1000, line: 2, value: "@c0" }]);
  const [group] = result.groups;
  expect(group && reasonOf("en", group)).toBe("There is no channel @c0. Import channels first.");
});

test("a number beyond the safe range is rounded only for a measure", async () => {
  const big = "9007199254740993";
  for (const [column, taken] of [
    ["quality", true],
    ["title", false],
    ["description", false],
    ["category", false],
    ["msgr_id", false],
  ] as const) {
    const content = `{"id":1,"${column}":${big}}`;
    const { rejects, warnings } = await importText(appliance, "channels", content, {
      format: null,
    });
    expect([...rejects, ...warnings].length, column).toBe(taken ? 0 : 1);
  }
});
