import { afterEach, beforeEach, expect, test } from "bun:test";
import { nothingRecognized } from "../../../src/catalog/imports/reading/recognized.ts";
import { AS_RECOGNIZED, readRows } from "../../../src/catalog/imports/reading/rows.ts";
import { AppError } from "../../../src/errors.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { counts, type ImportTextOptions, importText } from "../../support/import-text.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const importChannels = (content: string | Uint8Array, options: ImportTextOptions = {}) =>
  importText(appliance, "channels", content, options);
const ndjson = { format: "ndjson" } as const;

const titles = (): string[] =>
  appliance.app.domains.db
    .prepare("SELECT title FROM channel_cards ORDER BY id")
    .raw()
    .all()
    .flat() as string[];

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error;
}

test("unknown columns in a CSV header are refused by name before any row is read", async () => {
  const error = await refusal(importChannels("id,titel,subscribers,color\n1,A,1,red\n2,B,1,red\n"));
  expect(error.code).toBe("invalid");
  expect(error.detail).toContain('"titel", "color"');
  expect(titles()).toEqual([]);
});

test("a repeated column in a CSV header is refused by name", async () => {
  const error = await refusal(importChannels("id,title,title\n1,A,B\n"));
  expect(error.code).toBe("invalid");
  expect(error.detail).toContain("title");
});

test("a line naming the separator to Excel is skipped, and the lines after it keep their numbers", async () => {
  for (const first of ["sep=;", '"sep=;"', "SEP=,"]) {
    for (const chunkBytes of [1, 65_536]) {
      const content = `\ufeff${first}\r\nid;title;subscribers\r\n1;"A;B";1\r\n2;C;x\r\n`;
      const { rejects } = await importChannels(content, { format: "csv", chunkBytes });
      expect(rejects, first).toMatchObject([{ line: 4, column: "subscribers" }]);
      expect(titles(), first).toEqual(["A;B"]);
    }
  }
});

test("unknown columns in NDJSON reject their rows, by name", async () => {
  const { rejects, inserted } = await importChannels(
    [
      '{"id":1,"title":"A","subscribers":1}',
      '{"id":2,"titel":"B","subscribers":1,"color":null}',
      '{"id":3,"title":"C","subscribers":1}',
    ].join("\n"),
    ndjson,
  );
  expect(inserted).toBe(2);
  expect(rejects).toMatchObject([{ line: 2, reason: "Unknown columns: titel, color." }]);
});

test("an endless line of NDJSON is refused with its number", async () => {
  const before = ['{"id":1,"title":"A","subscribers":1}', ""];
  const endless = `{"id":2,"title":"${"x".repeat(5 * 1024 * 1024)}`;
  const error = await refusal(importChannels([...before, endless].join("\n"), ndjson));
  expect(error.code).toBe("invalid");
  expect(error.detail).toStartWith("Line 3: the line is longer than 4194304 characters.");
});

test("lines that are not JSON objects are rejected, and the others imported", async () => {
  const { rejects, ...summary } = await importChannels(
    [
      "{",
      '{"id":1,"title":"A","subscribers":1}',
      "[1]",
      "null",
      '"text"',
      '{"id":2,"title":"B","subscribers":1}}',
      '{"id":3,"title":"C","subscribers":1}',
    ].join("\n"),
    ndjson,
  );
  expect(rejects.map(({ line, column }) => [line, column])).toEqual(
    [1, 3, 4, 5, 6].map((line) => [line, null]),
  );
  expect(counts({ rejects, ...summary })).toMatchObject({ read: 7, inserted: 2, rejected: 5 });
  expect(titles()).toEqual(["A", "C"]);
});

test("a byte order mark, CRLF and blank lines do not matter", async () => {
  const csv = "\uFEFFid,title,subscribers\r\n\r\n1,A,1\r\n\r\n\r\n2,B,x\r\n3,C,1";
  expect((await importChannels(csv)).rejects).toMatchObject([{ line: 6, column: "subscribers" }]);
  expect(titles()).toEqual(["A", "C"]);

  const rows =
    '\uFEFF{"id":4,"title":"D","subscribers":1}\r\n\r\n{"id":5,"subscribers":1}\r\n' +
    '{"id":6,"title":"F","subscribers":1}';
  expect((await importChannels(rows, ndjson)).rejects).toMatchObject([
    { line: 3, column: "title" },
  ]);
  expect(titles()).toEqual(["A", "C", "D", "F"]);
});

for (const [name, end, within] of [
  ["LF", "\n", "\n"],
  ["CRLF", "\r\n", "\r\n"],
  ["CRLF with bare LF in cells, as spreadsheets write", "\r\n", "\n"],
] as const) {
  test(`line numbers are right after cells of several lines: ${name}`, async () => {
    const csv = [
      "id,title,subscribers,description",
      `1,A,1,"one${within}two${within}three"`,
      "2,B,x,",
      `3,C,y,"one${within}two"`,
      "4,D,z,",
      "5,E,1,",
    ].join(end);
    const { rejects } = await importChannels(csv);
    expect(rejects.map(({ line, column }) => [line, column])).toEqual([
      [5, "subscribers"],
      [6, "subscribers"],
      [8, "subscribers"],
    ]);
    const stored = appliance.app.domains.db
      .prepare("SELECT description FROM channel_cards WHERE id = 1")
      .raw()
      .get()?.[0];
    expect(stored).toBe("one\ntwo\nthree");
  });
}

test("blank lines before the header count, with and without quotes in the file", async () => {
  for (const title of ["A", '"A"']) {
    for (const chunkBytes of [1, 1000]) {
      const csv = `\n\r\nid,title,subscribers\n1,${title},x\n2,B,y\n`;
      const { rejects } = await importChannels(csv, { chunkBytes });
      expect(rejects.map(({ line }) => line)).toEqual([4, 5]);
    }
  }
  const quoted = '\n\n"id","title","subscribers"\n1,A,x\n';
  for (const chunkBytes of [1, 1000]) {
    expect((await importChannels(quoted, { chunkBytes })).rejects).toMatchObject([{ line: 4 }]);
  }
});

test("lines are numbered in the same way before and after a file's first quote", async () => {
  const csv = [
    "id,title,subscribers,description",
    "1,A,x,",
    " ",
    "",
    "2,B",
    "3,C,1,one",
    '4,"D, and",y,"one',
    'two"',
    " ",
    "",
    "5,E",
    "6,F,z,",
    "7,G,1,",
  ].join("\n");
  for (const chunkBytes of [1, 5, 64, 1000]) {
    const { rejects } = await importChannels(csv, { chunkBytes });
    expect(rejects.map(({ line }) => line)).toEqual([2, 3, 5, 7, 9, 11, 12]);
    expect(titles()).toEqual(["C", "G"]);
  }
});

test("blank lines before the header count, whether it is quoted or not", async () => {
  for (const header of [
    "id,title,subscribers",
    'id,"title",subscribers',
    'id,title,"subscribers"',
  ]) {
    for (const chunkBytes of [1, 1000]) {
      const csv = `\n\n${header}\n1,A,x\n2,B,y\n`;
      const { rejects } = await importChannels(csv, { chunkBytes });
      expect(rejects.map(({ line }) => line)).toEqual([4, 5]);
    }
  }
});

for (const [name, csv] of [
  ["is refused", "id,titel\n1,A\n"],
  ["is refused, quoted", '"id",titel\n1,A\n'],
  ["is left early", "id,title\n1,A\n"],
  ["is left early, quoted", 'id,title\n1,"A"\n'],
] as const) {
  test(`a file that ${name} is closed`, async () => {
    const closed = Promise.withResolvers<void>();
    const source = {
      ...{ name: "a file", bytes: null, folder: "/nowhere" },
      async *open() {
        try {
          for (;;) yield new TextEncoder().encode(csv);
        } finally {
          closed.resolve();
        }
      },
    };
    const rows = readRows(source, "channels", AS_RECOGNIZED, nothingRecognized("Europe/Moscow"));
    await rows.next().catch(() => {});
    await rows.return(undefined);
    await closed.promise;
  });
}

test("a row with too few or too many cells is rejected at its first line", async () => {
  const { rejects } = await importChannels(
    'id,title,subscribers\n1,A,1\n2,B\n3,C,1,more\n4,"D\nD"\n5,E,1\n',
  );
  expect(rejects.map(({ line }) => line).toSorted()).toEqual([3, 4, 5]);
  expect(titles()).toEqual(["A", "E"]);
});

test("rejected rows of a quoted file are passed on while it is being read", async () => {
  let pieces = 0;
  const endless = {
    ...{ name: "endless.csv", bytes: null, folder: "" },
    async *open() {
      yield Buffer.from("id,title,subscribers\n");
      for (; pieces < 100; pieces++) yield Buffer.from('1,"A",1,more\n'.repeat(1_000));
    },
  };
  const recognized = nothingRecognized("Europe/Moscow");
  let rejected = 0;
  for await (const rows of readRows(endless, "channels", AS_RECOGNIZED, recognized)) {
    // Rows that were read before these were passed on, and are held in memory.
    expect(pieces * 1_000 - rejected).toBeLessThan(5_000);
    rejected += rows.length;
  }
  expect(rejected).toBe(100_000);
});

test("rejected rows are reported in the order of their lines", async () => {
  const { rejects } = await importChannels(
    "id,title,subscribers\n1,A,x\n2,B\n3,C,y\n4,D,1,2\n5,E,1\n6,F,z\n",
  );
  expect(rejects.map(({ line }) => line)).toEqual([2, 3, 4, 5, 7]);
});

test("a quote within an unquoted cell rejects only that row", async () => {
  const { rejects } = await importChannels(
    'id,title,subscribers\n1,A,1\n2,B "quoted" B,1\n3,C,1\n4,"say ""D""",1\n5,E,x\n',
  );
  expect(rejects.map(({ line }) => line)).toEqual([3, 6]);
  expect(titles()).toEqual(["A", "C", 'say "D"']);
});

test("a row with a quote within an unquoted cell and too many cells is rejected once", async () => {
  const { read, rejects } = await importChannels(
    'id,title,subscribers\n1,"A",1\n2,B "quoted" B,1,more\n3,"C\nC",1\n4,D "D" D,1,more\n5,E,x\n',
  );
  expect(rejects.map(({ line }) => line)).toEqual([3, 6, 7]);
  expect(read).toBe(5);
  expect(titles()).toEqual(["A", "C C"]);
});

test("a quote that makes the end of a cell ambiguous refuses the file with its line, and nothing changes", async () => {
  for (const [row, reason] of [
    ['2,"B"x,1', "must be doubled"],
    ['2,"open, 4', "must be doubled"],
  ] as const) {
    const csv = `id,title,subscribers\n1,A,1\n${row}\n3,"closed",1\n4,D,1\n`;
    const error = await refusal(importChannels(csv));
    expect(error.code).toBe("invalid");
    expect(error.detail).toStartWith("Line 3: ");
    expect(error.detail).toContain(reason);
  }
  const error = await refusal(importChannels('id,title,subscribers\n1,A,1\n2,"B,1\n3,C,1\n'));
  expect(error.detail).toStartWith("Line 3: a quote is never closed.");
  expect(titles()).toEqual([]);
});

test("a header with an unclosed quote is refused, and not read as an empty file", async () => {
  const error = await refusal(importChannels('id,"title,subscribers\n1,A,1\n2,B,1\n'));
  expect(error.code).toBe("invalid");
  expect(titles()).toEqual([]);
});

test("CSV columns may come in any order, be missing, and have spaces around their names", async () => {
  await importChannels(" subscribers , title,id\n5,A,1\n");
  const { body } = await appliance.get("/v1/msgr/channels/1/");
  expect(body).toMatchObject({ id: 1, title: "A", subscribers: 5 });
});

test("characters split between two pieces of a file are read correctly", async () => {
  const csv = 'id,title,subscribers\n1,"Ёж 😀\nи ""друзья""",1\n2,Вторая,1\n';
  const rows = '{"id":3,"title":"Третья 😀","subscribers":1}\n{"id":4,"title":"Ч","subscribers":1}';
  for (const chunkBytes of [1, 3, 7]) {
    expect((await importChannels(csv, { chunkBytes })).rejects).toEqual([]);
    expect((await importChannels(rows, { ...ndjson, chunkBytes })).rejects).toEqual([]);
    expect(titles()).toEqual(['Ёж 😀 и "друзья"', "Вторая", "Третья 😀", "Ч"]);
  }
});

test("damaged UTF-8 is refused, also if the file ends within a character", async () => {
  for (const end of [[0xff], [0xd0], [0xc0, 0xaf], [0xed, 0xa0, 0x80]]) {
    const bytes = Buffer.concat([Buffer.from("id,title,subscribers\n1,Канал"), Buffer.from(end)]);
    const error = await refusal(importChannels(bytes));
    expect(error.code).toBe("invalid");
    expect(error.detail).toContain("not UTF-8");
  }
});

test("files of a thousand rows are read to the end, and a bad row anywhere is reported", async () => {
  const lines = Array.from(
    { length: 1700 },
    (_, at) => `${at + 1},T${at + 1},${at % 500 === 7 ? "x" : 1}`,
  );
  const { rejects, ...summary } = await importChannels(
    `id,title,subscribers\n${lines.join("\n")}\n`,
  );
  expect(counts({ rejects, ...summary })).toEqual({
    ...{ read: 1700, inserted: 1696, updated: 0, unchanged: 0, rejected: 4 },
  });
  expect(rejects.map(({ line }) => line)).toEqual([9, 509, 1009, 1509]);
});
