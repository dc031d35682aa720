import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ReadableStream } from "node:stream/web";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Input } from "../../../src/catalog/imports/reading/input.ts";
import { nothingRecognized } from "../../../src/catalog/imports/reading/recognized.ts";
import { AS_RECOGNIZED, readRows } from "../../../src/catalog/imports/reading/rows.ts";
import { AppError } from "../../../src/errors.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { type ImportTextOptions, importText } from "../../support/import-text.ts";
import { windows1251 } from "../../support/windows-1251.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const CSV = "id,title,subscribers,verified\n1,Первый «канал»,10,1\n2,Second,20,0\n";
const ROWS = [
  { id: 1, title: "Первый «канал»", subscribers: 10, verified: true },
  { id: 2, title: "Second", subscribers: 20, verified: false },
];
const NDJSON = ROWS.map((row) => `${JSON.stringify(row)}\n`).join("");

const utf16 = (text: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return isBig ? bytes.swap16() : bytes;
};

interface FileCase {
  content: string | Uint8Array;
  options?: ImportTextOptions;
  recognized: Record<string, unknown>;
}

/** Files that all contain the same two channels. */
const FILES: Record<string, FileCase> = {
  "commas, UTF-8": {
    content: CSV,
    recognized: { format: "csv", separator: ",", encoding: "UTF-8", compression: null },
  },
  "a byte order mark": { content: `\uFEFF${CSV}`, recognized: { encoding: "UTF-8" } },
  semicolons: {
    content: CSV.replaceAll(",", ";"),
    recognized: { format: "csv", separator: ";" },
  },
  "semicolons and quotes, as Excel writes them": {
    content:
      '"id";"title";"subscribers";"verified"\r\n1;"Первый «канал»";10;1\r\n2;Second;20;0\r\n',
    recognized: { separator: ";" },
  },
  tabs: { content: CSV.replaceAll(",", "\t"), recognized: { separator: "\t" } },
  "UTF-16, little-endian": {
    content: utf16(CSV.replaceAll(",", "\t"), false),
    recognized: { encoding: "UTF-16", separator: "\t" },
  },
  "UTF-16, big-endian": { content: utf16(CSV, true), recognized: { encoding: "UTF-16" } },
  "Windows-1251": {
    content: windows1251(CSV.replaceAll(",", ";")),
    recognized: { encoding: "Windows-1251", separator: ";" },
  },
  gzip: { content: gzipSync(CSV), recognized: { compression: "gzip", format: "csv" } },
  zstd: { content: zstdCompressSync(CSV), recognized: { compression: "zstd", format: "csv" } },
  "NDJSON in gzip, by the file's name": {
    content: gzipSync(NDJSON),
    options: { name: "rows.ndjson.gz" },
    recognized: { compression: "gzip", format: "ndjson" },
  },
  "Windows-1251 in zstd": {
    content: zstdCompressSync(windows1251(CSV)),
    recognized: { compression: "zstd", encoding: "Windows-1251" },
  },
  NDJSON: { content: NDJSON, recognized: { format: "ndjson", separator: null } },
  "a JSON array on one line": {
    content: JSON.stringify(ROWS),
    recognized: { format: "json", separator: null },
  },
  "a JSON array, indented": {
    content: `\n${JSON.stringify(ROWS, null, 2)}\n`,
    options: { name: "rows.json" },
    recognized: { format: "json" },
  },
  "a JSON array in a file named .ndjson": {
    content: JSON.stringify(ROWS),
    options: { name: "rows.ndjson" },
    recognized: { format: "json" },
  },
  "column names in any case, with spaces around them": {
    content: CSV.replace("id,title,subscribers", " ID , Title,SUBSCRIBERS "),
    recognized: { renamed: { id: "ID", title: "Title", subscribers: "SUBSCRIBERS" } },
  },
  "other column names, with a map": {
    content: CSV.replace("title,subscribers", "Название, Подписчики "),
    options: { map: { название: "title", Подписчики: "Subscribers" } },
    recognized: { renamed: { title: "Название", subscribers: "Подписчики" } },
  },
  "other column names in NDJSON, with a map": {
    content: NDJSON.replaceAll('"title"', '"Name"'),
    options: { map: { name: "title" } },
    recognized: { renamed: { title: "Name" } },
  },
  "unknown columns, ignored": {
    content: "id,extra,title,subscribers,verified,\n1,x,Первый «канал»,10,1,\n2,y,Second,20,0,z\n",
    options: { ignoreUnknown: true },
    recognized: { ignored: ["extra", ""] },
  },
  "unknown columns in NDJSON, ignored": {
    content: NDJSON.replaceAll('"title"', '"extra":{"a":[1]},"title"'),
    options: { ignoreUnknown: true },
    recognized: { ignored: ["extra"] },
  },
};

const stored = () =>
  appliance.app.domains.db
    .prepare(
      `SELECT c.id, k.title, c.subscribers, k.verified
       FROM channels c JOIN channel_cards k USING (id) ORDER BY c.id`,
    )
    .all();

describe("a file is recognized without options", () => {
  for (const [name, { content, options, recognized }] of Object.entries(FILES)) {
    test(name, async () => {
      for (const chunkBytes of [1, 7, 100_000]) {
        const result = await importText(appliance, "channels", content, {
          ...{ format: null, chunkBytes },
          ...options,
        });
        expect(result.rejects).toEqual([]);
        expect(result.recognized).toMatchObject(recognized);
        expect(result.inserted + result.unchanged).toBe(2);
        expect(stored()).toEqual(ROWS.map((row) => ({ ...row, verified: Number(row.verified) })));
      }
    });
  }
});

test("a file in Windows-1251 is listed among the warnings", async () => {
  const { warnings } = await importText(appliance, "channels", windows1251(CSV), { format: null });
  expect(warnings).toMatchObject([
    { column: null, count: 1, fault: { code: "readAsWindows1251" } },
  ]);
});

const XLSX = Buffer.from("PK\x03\x04\x14\x00\x06\x00[Content_Types].xml", "latin1");
const XLS = Buffer.from("d0cf11e0a1b11ae1000000000000000000", "hex");
const REFUSED: [name: string, content: string | Uint8Array, said: string, ImportTextOptions?][] = [
  ["an Excel file", XLSX, 'In Excel: File, Save As, "CSV UTF-8"'],
  ["an old Excel file", XLS, "is an old Excel file or a ZIP archive"],
  ["a compressed Excel file", gzipSync(XLSX), "is an old Excel file or a ZIP archive"],
  ["a database", "SQLite format 3\0 and more", "is an SQLite database"],
  ["a PDF", "%PDF-1.7 and what follows", "is a PDF"],
  ["truncated gzip", gzipSync(CSV).subarray(0, -9), "is damaged or truncated"],
  ["truncated zstd", zstdCompressSync(CSV).subarray(0, -4), "is damaged or truncated"],
  ["damaged gzip", gzipSync(CSV).fill(7, 12, 30), "is damaged or truncated"],
  ["damaged zstd", zstdCompressSync(CSV).fill(7, 6, 30), "is damaged or truncated"],
  ["UTF-16 that ends within a character", utf16(CSV, false).subarray(0, -1), "is not valid UTF-16"],
  [
    "posts as channels",
    "channel,msgr_post_id,text,views\n@a,1,x,2\n",
    "The file has the columns of posts (channel, msgr_post_id, text, views), not of channels. Import it as posts.",
  ],
  [
    "posts as channels, even if unknown columns are ignored",
    "channel,msgr_post_id,text,views\n@a,1,x,2\n",
    "Import it as posts.",
    { ignoreUnknown: true },
  ],
  [
    "statistics as channels in NDJSON",
    '{"channel":1,"day":"2026-11-01","subscribers":1}\n',
    "The file has the columns of stats (channel, day, subscribers), not of channels.",
  ],
  [
    "statistics as channels in a JSON array",
    '[{"channel":1,"day":"2026-11-01","subscribers":1}]',
    "The file has the columns of stats (channel, day, subscribers), not of channels.",
  ],
  ["unknown columns", "id,titel,subscribers\n1,A,1\n", 'The header has unknown columns: "titel".'],
  [
    "channels under other names, which a directory without its codes does not resemble",
    "id,alias,name of it,how many\n1,a,A,5\n",
    'The header has unknown columns: "alias", "name of it", "how many".',
  ],
  ["a column twice", "id,Title,TITLE\n1,A,B\n", "The header has the column title twice."],
  [
    "a map to an unknown column",
    CSV,
    'There is no column "name" to map to.',
    { map: { title: "name" } },
  ],
  ["a truncated JSON array", '[{"id":1},\n{"id":2}', "Line 2: the JSON ends in the middle."],
  ["a broken JSON array", '[{"id":1},\n{"id":2,}]', "Line 2: this is not JSON."],
  ["text after a JSON array", '[{"id":1}]\n[{"id":2}]', "Line 2: this is not JSON."],
  [
    "an export of Telegram Desktop without --from",
    '{"name": "A", "type": "public_channel", "id": 1,\n "messages": [',
    "Import it with --from telegram-desktop.",
  ],
  [
    "a dump of Telethon without --from",
    '[{"_": "Message", "id": 1, "peer_id": {"_": "PeerChannel", "channel_id": 1}}]',
    "Import it with --from telethon.",
  ],
  [
    "a dump of Pyrogram without --from",
    '{"_": "Message", "id": 1, "chat": {"id": -1001}}\n',
    "Import it with --from pyrogram.",
  ],
];

describe("a file that cannot be imported is refused before any row is written", () => {
  for (const [name, content, expected, options] of REFUSED) {
    test(name, async () => {
      for (const chunkBytes of [5, 100_000]) {
        const error = await importText(appliance, "channels", content, {
          ...{ format: null, chunkBytes },
          ...options,
        }).then(
          () => null,
          (reason) => reason,
        );
        expect(error).toBeInstanceOf(AppError);
        expect(error.code).toBe("invalid");
        expect(error.detail).toContain(expected);
        expect(stored()).toEqual([]);
      }
    });
  }
});

test("rejected rows of a JSON array are reported with the line on which they start", async () => {
  const content = '[\n  {"id":1,"title":"A","subscribers":1},\n  {\n    "id": 2\n  },\n  5\n]';
  const { rejects, inserted } = await importText(appliance, "channels", content, { format: null });
  expect(inserted).toBe(1);
  expect(rejects).toMatchObject([
    { line: 3, column: "title" },
    { line: 6, column: null, reason: "The line is not a JSON object." },
  ]);
});

test("an integer beyond the safe range is rejected with all its digits, and never rounded", async () => {
  const row = '{"id":1,"title":"A","subscribers":9007199254740993}';
  for (const content of [`${row}\n`, `[${row}]`]) {
    const result = await importText(appliance, "channels", content, { format: null });
    expect(result.groups).toMatchObject([
      { column: "subscribers", count: 1, line: 1, value: "9007199254740993" },
    ]);
  }
  expect(stored()).toEqual([]);
});

test("an endless value in a JSON array is refused before it fills the memory", async () => {
  const content = `[\n{"id":1,"title":"${"x".repeat(5 * 1024 * 1024)}`;
  const error = await importText(appliance, "channels", content, {
    ...{ format: null, chunkBytes: 65_536 },
  }).catch((reason) => reason);
  expect(error.detail).toContain("Line 2: a value is longer than 4194304 characters.");
});

test("endless nesting in a JSON array is refused before it fills the memory", async () => {
  const content = `[\n{"id":1,"title":${"[".repeat(500_000)}`;
  const error = await importText(appliance, "channels", content, {
    ...{ format: null, chunkBytes: 65_536 },
  }).catch((reason) => reason);
  expect(error.detail).toContain("Line 2: a value is nested deeper than 500000 levels.");
});

/** A gzip input with a piece repeated `count` times, compressed while it is read. */
function packedInput(piece: string, count: number, [first, last]: [string, string]) {
  const pieces = (async function* () {
    yield Buffer.from(first);
    for (let at = 0; at < count; at++) yield Buffer.from(piece);
    yield Buffer.from(last);
  })();
  const packed = ReadableStream.from<ArrayBufferView<ArrayBuffer>>(pieces);
  return {
    ...{ name: "a file", bytes: null, folder: "/nowhere" },
    open: () => packed.pipeThrough<Uint8Array>(new CompressionStream("gzip") as never),
  };
}

test("memory stays small for a file of any size, even if it is small when compressed", async () => {
  const row = `,${JSON.stringify({ id: 1, title: "Канал ".repeat(10_000) })}`;
  const input = packedInput(row, 1_000, ["[{}", "]"]);
  const before = memoryInUse();
  let [rows, samples, most] = [0, 0, 0];
  for await (const some of readRows(input, "channels", AS_RECOGNIZED, nothingRecognized("UTC"))) {
    const isSampled = Math.floor((rows + some.length) / 200) > Math.floor(rows / 200);
    rows += some.length;
    if (!isSampled) continue;
    samples += 1;
    most = Math.max(most, memoryInUse() - before);
  }
  expect(rows).toBe(1_001);
  expect(Buffer.byteLength(row) * 1_000).toBeGreaterThan(100 * 1024 ** 2);
  expect(samples).toBe(5);
  expect(most).toBeLessThan(25 * 1024 ** 2);
});

/** Bytes of memory that are still referenced. */
function memoryInUse(): number {
  Bun.gc(true);
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

/** Reads an input completely. @returns why it was refused */
async function refusalOf(input: Input): Promise<string> {
  try {
    const rows = readRows(input, "channels", AS_RECOGNIZED, nothingRecognized("UTC"));
    for await (const _ of rows) {
      // Reading is the test.
    }
    return "It was read.";
  } catch (error) {
    return error instanceof AppError ? error.detail : String(error);
  }
}

for (const [beginning, piece, line] of [
  ["id,title\n", "x", 2],
  ["", "x", 1],
  ["", " ", 1],
] as const) {
  const named = JSON.stringify(beginning + piece);
  test(`an endless compressed line of ${named} is refused after its first megabytes`, async () => {
    const input = packedInput(piece.repeat(65_536), 1_000_000, [beginning, ""]);
    expect(await refusalOf(input)).toContain(`Line ${line}: the row is longer`);
  });
}

test("a very deeply nested value is a bad cell, and the rows around it are imported", async () => {
  const depth = 200_000;
  const deep = `{"id":2,"title":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const rows = [JSON.stringify(ROWS[0]), deep, '{"id":3,"title":"C","subscribers":1}'];
  for (const content of [rows.join("\n"), `[${rows.join(",")}]`]) {
    const { groups, rejected } = await importText(appliance, "channels", content, { format: null });
    expect(rejected).toBe(1);
    expect(groups).toMatchObject([{ column: "title", value: '"nested too deeply"' }]);
    expect(stored()).toMatchObject([{ id: 1 }, { id: 3 }]);
  }
});
