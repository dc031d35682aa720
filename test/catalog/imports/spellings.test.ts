import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";

/** How people write values, and what is read: the guide's table is made of these. */

const GUIDE = "src/catalog/imports/importing.md";
const BEGIN = "<!-- spellings -->\n";
const END = "<!-- /spellings -->";

type Kind = "channels" | "stats" | "posts";

const SPELLINGS: readonly [
  kind: Kind,
  column: string,
  read: unknown,
  written: readonly string[],
][] = [
  [
    "channels",
    "subscribers",
    1292258,
    ["1292258", " 1292258 ", "1 292 258", "1,292,258", "1.292.258", "1292258.0", "1292258,00"],
  ],
  ["channels", "subscribers", 1200, ["1.2K", "1,2K", "1,2К", "1.2k", "1,2 тыс.", "1,2 тыс"]],
  ["channels", "subscribers", 100000, ["1e5", "1E+05", "1e+05"]],
  ["channels", "subscribers", 3400000, ["3.4M", "3,4M", "3,4М", "3,4 млн", "3,4 млн."]],
  [
    "channels",
    "handle",
    "durov",
    [
      ...[
        "durov",
        "@durov",
        "t.me/durov",
        "https://t.me/durov",
        "http://t.me/durov/",
        "t.me/s/durov",
      ],
      ...[
        "https://t.me/durov/123",
        "durov.t.me",
        "telegram.me/durov",
        "https://telegram.dog/durov",
      ],
      ...[
        "tg://resolve?domain=durov",
        "https://t.me/boost/durov",
        "https://web.telegram.org/k/#@durov",
      ],
    ],
  ],
  [
    "channels",
    "msgr_id",
    "1234567890",
    ["1234567890", "-1001234567890", "1234567890.0", " 1234567890 "],
  ],
  [
    "channels",
    "link",
    "https://t.me/durov",
    ["https://t.me/durov", " https://t.me/durov ", "t.me/durov", "//t.me/durov"],
  ],
  ["channels", "verified", true, ["true", "1", "yes", "да", "Да", "1.0"]],
  ["channels", "verified", false, ["false", "0", "no", "нет", "Нет", "0.0"]],
  ["channels", "kind", "chat", ["chat", " chat "]],
  ["channels", "citation", 4.2, ["4.2", "4,2", " 4.2 "]],
  [
    "channels",
    "territory",
    "tatarstan",
    [
      ...["tatarstan", "Tatarstan", "Республика Татарстан", "республика татарстан", "Татарстан"],
      ...["Респ. Татарстан", "ТАТАРСТАН"],
    ],
  ],
  ["channels", "territory", "kazan", ["kazan", "Казань", "г. Казань", "г.Казань", "город Казань"]],
  ["channels", "territory", "belarus", ["Беларусь", "Belarus", "BELARUS"]],
  ["channels", "category", "news", ["news", "News", "Новости и СМИ", "новости и сми", "СМИ"]],
  [
    "channels",
    "last_post_at",
    "2026-11-19T12:30:00+03:00",
    [
      ...[
        "2026-11-19T12:30:00+03:00",
        "2026-11-19T09:30:00Z",
        "2026-11-19 12:30",
        "2026-11-19 12:30:00",
      ],
      ...[
        "19.11.2026 12:30",
        "19.11.2026, 12:30:00",
        "1795080600",
        "1795080600000",
        "1795080600.0",
      ],
    ],
  ],
  ["channels", "description", null, ["", " null", "None", "NaN", "null"]],
  ["stats", "day", "2026-11-09", ["2026-11-09", "09.11.2026", "9.11.2026", "2026-11-09 00:00:00"]],
  [
    "posts",
    "channel",
    1,
    [
      "1",
      "@first",
      "first",
      "t.me/first",
      "https://t.me/first/5",
      "t.me/c/777/5",
      "-1000000000777",
    ],
  ],
  ["posts", "msgr_post_id", "15", ["15", " 15 ", "15.0", "mid.00000000000000000000000f"]],
  ["posts", "media", ["photo", "video"], ["photo video", "photo  video", " photo video "]],
  ["posts", "media", [], ["no", "No"]],
  ["posts", "views", 12500, ["12500", "12 500", "12.5K", "12,5К", "12,5 тыс."]],
];

const ROW: Record<Kind, Record<string, string>> = {
  channels: { id: "9", title: "T", subscribers: "1" },
  stats: { channel: "1", subscribers: "1", views: "1", posts: "1" },
  posts: { id: "9", channel: "1", text: "T", published_at: "2026-11-19T12:00:00+03:00" },
};

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("territories", [
    { slug: "russia", name: "Россия", kind: "country" },
    { slug: "belarus", name: "Беларусь", kind: "country" },
    { slug: "tatarstan", name: "Республика Татарстан", kind: "region", parent: "russia" },
    { slug: "kazan", name: "Казань", kind: "city", parent: "tatarstan" },
  ]);
  await appliance.importRows("categories", [
    { slug: "news", name: "Новости и СМИ" },
    { slug: "tech", name: "Технологии" },
  ]);
  await appliance.importRows("channels", [
    { id: 1, handle: "first", msgr_id: 777, title: "First", subscribers: 1 },
  ]);
});
afterEach(() => appliance.close());

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** The value that is stored, once a row with the cell was imported into an empty place. */
async function readAs(kind: Kind, column: string, cell: string): Promise<unknown> {
  const row = { ...ROW[kind], [column]: cell };
  const csv = `${Object.keys(row).join(",")}\n${Object.values(row).map(quoted).join(",")}\n`;
  const { inserted, updated, unchanged, warnings } = await importText(appliance, kind, csv);
  expect([inserted + updated + unchanged, warnings], cell).toEqual([1, []]);
  const lines = (await exported(appliance, { kind, format: "ndjson" })).trim().split("\n");
  return JSON.parse(lines.at(-1) ?? "{}")[column] ?? null;
}

test("each of a hundred spellings is read as the guide's table says", async () => {
  const count = SPELLINGS.reduce((sum, [, , , written]) => sum + written.length, 0);
  expect(count).toBeGreaterThanOrEqual(100);
  for (const [kind, column, read, written] of SPELLINGS) {
    for (const cell of written) {
      expect(await readAs(kind, column, cell), `${column}: ${cell}`).toEqual(read);
    }
  }
});

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

function table(): string {
  const lines = SPELLINGS.map(([kind, column, read, written]) => {
    const shown =
      read === null ? "empty" : code(Array.isArray(read) ? read.join(" ") || "[]" : `${read}`);
    const cells = written.filter((cell) => cell.trim() === cell && cell !== "").map(code);
    return `| ${kind} | \`${column}\` | ${cells.join(" ")} | ${shown} |`;
  });
  return ["| kind | column | written | read as |", "|---|---|---|---|", ...lines, ""].join("\n");
}

test("the guide's table is made of these", async () => {
  const guide = await Bun.file(GUIDE).text();
  const [before = "", rest = ""] = guide.split(BEGIN);
  const wanted = `${before}${BEGIN}${table()}${END}${rest.split(END)[1]}`;
  if (process.env["KANALOG_TEST_WRITE_EXAMPLES"] === "1") await Bun.write(GUIDE, wanted);
  else expect(guide).toBe(wanted);
});
