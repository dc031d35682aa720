import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { writeTarget } from "../../../../src/doors/cli/database/export.ts";
import { createMachine, type Machine, PROGRAM } from "../../../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const CHANNELS = 'id,title,subscribers\n1,"Один, ""два""",10\n2,Три,20\n';
const HEADER =
  "id,msgr_id,handle,title,description,link,image,kind,subscribers,subscribers_at,category,categories,territory," +
  "a_plus,verified,quality,citation,last_post_at,is_public,former_handles,removed,merged_into";

async function importChannels(): Promise<void> {
  machine.write("given.csv", CHANNELS);
  expect((await machine.run(["import", "channels", "given.csv"])).exitCode).toBe(0);
}

/** Adds posts of channel 1 with ids from 1 on, by SQL because an import would take longer. */
function addPosts(count: number, characters: number): void {
  const db = machine.open();
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO posts (id, channel_id, msgr_post_id, published_at, is_ad, views, read_at, text)
     SELECT i, 1, i, 1700000000000 + i, 0, 0, 0, printf('%.*c', ?, 'x') FROM n`,
  ).run(count, characters);
  db.close();
}

/** Files created by exports, including drafts. */
const made = () => readdirSync(machine.folder).filter((name) => /export|part/.test(name));

test("standard output contains only the rows, as CSV by default", async () => {
  await importChannels();
  const usual = await machine.run(["export", "channels"]);
  expect(usual.exitCode).toBe(0);
  expect(usual.notes).toBe("2 rows.\n");
  expect(usual.out.split("\n")[0]).toBe(HEADER);
  expect(usual.out.split("\n")[1]).toStartWith('1,,,"Один, ""два""",,');
  expect((await machine.run(["export", "channels", "-", "--format", "csv"])).out).toBe(usual.out);
  const lines = (await machine.run(["export", "channels", "-", "--format", "ndjson"])).out;
  expect(
    lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).title),
  ).toEqual([...['Один, "два"', "Три"]]);
});

test("a file's name determines format and compression, and the file can be imported unchanged", async () => {
  await importChannels();
  for (const name of ["export.csv", "export.ndjson", "export.jsonl", "export.xlsx"]) {
    expect(await machine.json(["export", "channels", name])).toEqual({ path: name, rows: 2 });
    const again = await machine.run(["import", "channels", name]);
    expect(again.out, name).toStartWith("2 read: 0 inserted, 0 updated, 2 unchanged, 0 rejected");
    if (name === "export.xlsx") continue;
    expect((await machine.run(["export", "channels", `${name}.gz`])).exitCode).toBe(0);
    const bytes = await Bun.file(machine.path(`${name}.gz`)).bytes();
    expect(gunzipSync(bytes).toString(), name).toBe(machine.read(name));
  }
  expect((await machine.run(["export", "channels", "export", "--format", "csv"])).exitCode).toBe(0);
  expect(machine.read("export")).toBe(machine.read("export.csv"));
});

test("--excel writes what Excel opens as a table, and the import reads it back unchanged", async () => {
  machine.write(
    "given.csv",
    'id,title,subscribers\n1,"Один; ""два"", три",10\n2,=Три,20\n3,"А;+1",5\n',
  );
  await machine.run(["import", "channels", "given.csv"]);
  expect((await machine.run(["export", "channels", "export.csv", "--excel"])).exitCode).toBe(0);
  const text = machine.read("export.csv");
  expect(text).toStartWith(`\ufeff${HEADER.replaceAll(",", ";")}\r\n1;;;"Один; ""два"", три";`);
  expect(text).toContain("\r\n2;;;'=Три;");
  expect(text).toContain(`\r\n3;;;"А;'+1";`);
  expect(text).toEndWith("\r\n");
  const again = await machine.run(["import", "channels", "export.csv"]);
  expect(again.out).toStartWith("3 read: 0 inserted, 0 updated, 3 unchanged, 0 rejected");
  const wrong = await machine.run(["export", "channels", "a.ndjson", "--excel"]);
  expect(wrong).toMatchObject({ exitCode: 2, notes: "--excel is for CSV only.\n" });
});

test("--gzip compresses standard output too", async () => {
  await importChannels();
  const child = machine.spawn(["export", "channels", "--gzip"]);
  const bytes = await child.stdout.bytes();
  expect(gunzipSync(bytes).toString()).toStartWith(`${HEADER}\n1,`);
});

test.each([
  [["export", "channels", "given.csv"], 1, "The file given.csv already exists.\n"],
  [["export", "channels", "nowhere/a.csv"], 1, "nowhere/a.csv.part"],
  [["export", "channels", "a.txt"], 2, "--format is needed, because a.txt does not end in .csv"],
  [["export", "channels", "a.csv", "--format", "ndjson"], 2, "the name a.csv says csv"],
  [["export", "channels", "--json"], 2, "--json: name a file"],
  [["export", "channels", "--from", "2026-11-01"], 2, "from: Only stats and posts"],
  [["export", "categories", "--channel", "1"], 2, "channel: Only channels, stats"],
  [["export", "posts", "--to", "yesterday"], 2, "to: Date has wrong format."],
  [["export", "posts", "--format", "ndjson", "--raw"], 2, "raw: Only CSV"],
  [["export", "posts", "--channel", "@nobody"], 2, "channel: There is no channel @nobody."],
  [["export", "people"], 2, "people"],
])("%p ends with %p and says why", async (words, exitCode, expected) => {
  await importChannels();
  const ended = await machine.run(words);
  expect(ended.notes).toContain(expected);
  expect(ended.exitCode).toBe(exitCode);
  expect(ended.out).toBe("");
  expect(made()).toEqual([]);
  expect(machine.read("given.csv")).toBe(CHANNELS);
});

test.skipIf(!existsSync("/dev/full"))(
  "a full disk is reported in one line, with exit code 1",
  async () => {
    await importChannels();
    const child = Bun.spawn([...PROGRAM, "export", "channels"], {
      ...{ env: { KANALOG_DB: machine.database }, stdout: Bun.file("/dev/full"), stderr: "pipe" },
    });
    const notes = await child.stderr.text();
    expect(await child.exited).toBe(1);
    expect(notes).toContain("Standard output cannot be written: ENOSPC");
  },
);

test.skipIf(Bun.which("prlimit") === null)(
  "a disk that fills up while a file is written is reported with the file's name, and no draft is left",
  async () => {
    await importChannels();
    // A limit on file sizes acts like a full disk; the files beside the database are smaller than it.
    const child = Bun.spawn(
      ["prlimit", "--fsize=40000", ...PROGRAM, "export", "territories", "t.csv"],
      {
        cwd: machine.folder,
        env: { PATH: process.env["PATH"] ?? "", KANALOG_DB: machine.database },
        stderr: "pipe",
      },
    );
    expect(await child.stderr.text()).toMatch(/^The file t\.csv cannot be written: EFBIG.*\n$/);
    expect(await child.exited).toBe(1);
    expect(made()).toEqual([]);
  },
);

test("an export without a database says so, and creates none", async () => {
  const ended = await machine.run(["export", "channels"]);
  expect(ended.exitCode).toBe(1);
  expect(ended.notes).toContain("There is no database");
  expect(machine.exists("kanalog.db")).toBe(false);
});

test("an existing draft is left alone, because another export may be writing it", async () => {
  await importChannels();
  machine.write("export.csv.part", "theirs");
  const ended = await machine.run(["export", "channels", "export.csv"]);
  expect(ended.exitCode).toBe(1);
  expect(ended.notes).toContain("export.csv.part already exists");
  expect(machine.read("export.csv.part")).toBe("theirs");
  expect(machine.exists("export.csv")).toBe(false);
});

describe("an export of many posts", () => {
  const POSTS = Number(process.env["KANALOG_TEST_EXPORT_POSTS"] ?? 40_000);
  const CHARACTERS = 5_000;
  /** Allows for garbage not collected yet; half of the file would exceed it. */
  const MOST_MORE_BYTES = 96 * 1024 * 1024;

  test("takes no more memory than a small one, to a file or a pipe, compressed or not", async () => {
    await importChannels();
    addPosts(POSTS, CHARACTERS);
    const residentBytes = async (words: string[]) => {
      const child = machine.spawn(["export", ...words]);
      let bytes = 0;
      for await (const chunk of child.stdout) bytes += chunk.byteLength;
      expect(await child.exited).toBe(0);
      return { bytes, most: child.resourceUsage()?.maxRSS ?? 0 };
    };
    const small = await residentBytes(["channels"]);
    const piped = await residentBytes(["posts"]);
    expect(piped.bytes).toBeGreaterThan(POSTS * CHARACTERS);
    expect(piped.most - small.most).toBeLessThan(MOST_MORE_BYTES);
    for (const name of ["export.csv", "export.ndjson.gz"]) {
      const { most } = await residentBytes(["posts", name]);
      expect(most - small.most, name).toBeLessThan(MOST_MORE_BYTES);
    }
    expect(Bun.file(machine.path("export.csv")).size).toBe(piped.bytes);
  });

  test("to a pipe that is closed early ends without an error", async () => {
    await importChannels();
    addPosts(2_000, 5_000);
    const child = machine.spawn(["export", "posts"]);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    expect(await child.stderr.text()).toBe("");
    expect(await child.exited).toBe(0);
  });

  test("that is ended by a signal leaves no file under its name", async () => {
    await importChannels();
    addPosts(16_000, 5_000);
    for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
      const child = machine.spawn(["export", "posts", "export.csv"]);
      // The draft exists from the first part on, and writing 80 MB takes a while.
      while (!machine.exists("export.csv.part")) await new Promise(setImmediate);
      child.kill(signal);
      const notes = await child.stderr.text();
      await child.exited;
      expect(machine.exists("export.csv"), signal).toBe(false);
      if (signal === "SIGKILL") continue;
      expect(child.exitCode).toBe(130);
      expect(notes).toBe("Interrupted. No file was written.\n");
      expect(made()).toEqual([]);
    }
  });
});

test("an export reads no faster than its reader accepts", async () => {
  let read = 0;
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1;
      yield new Uint8Array(256 * 1024);
    }
  }
  const full = () => new Promise<void>(() => {});
  const output = { out() {}, note() {}, write: full, outSafely: full };
  const stopped = new AbortController();
  const target = { path: "-", isGzip: false, signal: stopped.signal };
  const writing = writeTarget(parts(), target, output);
  for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
  expect(read).toBeLessThan(5);
  stopped.abort();
  expect(await writing.catch((error: Error) => error.name)).toBe("AbortError");
});
