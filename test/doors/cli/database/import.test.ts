import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { createMachine, type Machine } from "../../../support/machine.ts";
import { until } from "../../../support/until.ts";
import { windows1251 } from "../../../support/windows-1251.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const CHANNELS = "id,title,subscribers\n1,Один,10\n2,Два,20\n3,Три,x\n4,Четыре,40\n";

const titles = () =>
  machine
    .query<{ title: string }>("SELECT title FROM channel_cards ORDER BY id")
    .map((row) => row.title);

/** The summary's counts, without the seconds, which differ from run to run. */
const summaryOf = (out: string) => {
  const { seconds, recognized, rejects, warnings, ...counts } = JSON.parse(out);
  expect(seconds).toBeNumber();
  expect(recognized).toMatchObject({ timezone: "Europe/Moscow" });
  expect([rejects, warnings]).toEqual([expect.any(Array), expect.any(Array)]);
  return counts;
};

test("an import prints only its summary, and exits with 0, or with 3 if rows were rejected", async () => {
  machine.write("channels.csv", CHANNELS);
  await machine.run(["plan", "list"]);
  const first = await machine.run(["import", "channels", "channels.csv", "--json"]);
  expect(first.exitCode).toBe(3);
  expect(Object.keys(JSON.parse(first.out))).toEqual([
    ...["read", "inserted", "updated", "unchanged", "kept_out", "rejected", "seconds"],
    ...["recognized", "handles_moved", "rejects", "warnings"],
  ]);
  expect(summaryOf(first.out)).toEqual({
    handles_moved: 0,
    ...{ read: 4, inserted: 3, updated: 0, unchanged: 0, kept_out: 0, rejected: 1 },
  });
  expect(first.out.trimEnd().split("\n")).toHaveLength(1);
  const reason = "A valid integer is required.";
  expect(JSON.parse(first.out).rejects).toEqual([
    { column: "subscribers", reason, count: 1, line: 4, value: "x" },
  ]);
  expect(first.notes).toBe(
    `rejected: subscribers: ${reason} (1 x, line 4: x)\n--rejects FILE writes all rejected rows to a file.\n`,
  );

  machine.write("channels.csv", CHANNELS.replace("3,Три,x\n", "").replace("Два", "Две"));
  const second = await machine.run(["import", "channels", "channels.csv"]);
  expect(second.exitCode).toBe(0);
  expect(second.out).toMatch(
    /^3 read: 0 inserted, 1 updated, 2 unchanged, 0 rejected, 0 handles moved \(.+ s.*\)\nRead as CSV, separated by commas, UTF-8, times without an offset are in Europe\/Moscow\.\n$/,
  );
  expect(second.notes).toBe("");
  expect(titles()).toEqual(["Один", "Две", "Четыре"]);
});

test("--rejects writes every rejected row with line, column, reason and fields", async () => {
  const rows = Array.from(
    { length: 25 },
    (_, at) => `{"id":${at + 1},"title":"T","subscribers":-1}`,
  );
  machine.write("rows.ndjson", `${rows.join("\n")}\n{\n{"id":99,"title":"T","subscribers":1}\n`);
  await machine.run(["plan", "list"]);
  const { exitCode, notes } = await machine.run([
    ...["import", "channels", "rows.ndjson", "--rejects", "bad.ndjson"],
  ]);
  expect(exitCode).toBe(3);
  const rejects = machine
    .read("bad.ndjson")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rejects).toHaveLength(26);
  expect(rejects[0]).toEqual({
    line: 1,
    column: "subscribers",
    reason: "Ensure this value is greater than or equal to 0.",
    fields: { id: 1, title: "T", subscribers: -1 },
  });
  expect(rejects[25]).toEqual({
    ...{ line: 26, column: null, reason: "The line is not JSON.", fields: null },
  });
  // Each reason is one line, however many rows it rejected.
  expect(notes.trimEnd().split("\n")).toEqual([
    "rejected: subscribers: Ensure this value is greater than or equal to 0. (25 x, line 1: -1)",
    "rejected: The line is not JSON. (1 x, line 26)",
  ]);
  expect(titles()).toEqual(["T"]);
});

test("a file whose first 10,000 rows are all rejected is given up with exit 1 and a sentence, however much follows", async () => {
  const bad = `id,title,subscribers\n${"1,Один,many\n".repeat(100_000)}`;
  await Bun.write(machine.path("bad.csv.gz"), gzipSync(bad));
  const { exitCode, out, notes } = await machine.run(["import", "channels", "bad.csv.gz"]);
  expect(exitCode).toBe(1);
  expect(out).toMatch(/^1\d{4} read: 0 inserted/);
  expect(notes).toContain("rejected: subscribers: A valid integer is required. (1");
  expect(notes).toMatch(/All of the first 1\d{4} rows were rejected, so the rest was not read\./);
});

test("--rejects into a missing folder is reported in one line, and nothing is imported", async () => {
  machine.write("channels.csv", CHANNELS);
  const { exitCode, out, notes } = await machine.run([
    ...["import", "channels", "channels.csv", "--rejects", "nowhere/bad.ndjson"],
  ]);
  expect(exitCode).toBe(1);
  expect(out).toBe("");
  expect(notes.trimEnd().split("\n")).toHaveLength(1);
  expect(notes).toContain("nowhere/bad.ndjson");
  if (machine.exists("kanalog.db")) expect(titles()).toEqual([]);
});

test("standard input is read to its end, in the given format", async () => {
  const csv = await machine.run(["import", "channels", "-", "--format", "csv", "--json"], {
    stdin: CHANNELS,
  });
  expect(summaryOf(csv.out)).toMatchObject({ read: 4, inserted: 3, rejected: 1 });
  const rows = '{"channel":1,"day":"2026-11-19","subscribers":9}\n';
  const ndjson = await machine.run(["import", "stats", "-", "--json"], { stdin: rows });
  expect(summaryOf(ndjson.out)).toMatchObject({ read: 1, inserted: 1 });
});

test("standard input is read to its end before any row is written, and leaves no file behind", async () => {
  const row = '"title":"Один","subscribers":1';
  const cut = `[{"handle":"odin",${row}},{"handle":"dva",`;
  const refused = await machine.run(["import", "channels", "-", "--json"], { stdin: cut });
  expect(refused.exitCode).toBe(2);
  expect(refused.notes).toContain("Line 1: the JSON ends in the middle.");
  const rows = `{"handle":"odin",${row}}\n{"id":1,"handle":"dva",${row}}\n`;
  const taken = await machine.run(["import", "channels", "-", "--json"], { stdin: gzipSync(rows) });
  expect(summaryOf(taken.out)).toMatchObject({ read: 2, inserted: 2, rejected: 0 });
  expect(machine.query("SELECT id, handle FROM channel_cards ORDER BY id")).toEqual([
    { id: 1, handle: "dva" },
    { id: 2, handle: "odin" },
  ]);
  const left = [...new Bun.Glob("kanalog-input-*").scanSync({ cwd: machine.folder })];
  expect(left).toEqual([]);
});

const hasNamedPipes = Bun.which("mkfifo") !== null;
test.skipIf(!hasNamedPipes)(
  "a named pipe is read like standard input, not mistaken for an empty file",
  async () => {
    const made = Bun.spawnSync(["mkfifo", machine.path("pipe")]);
    expect(made.exitCode).toBe(0);
    const child = machine.spawn(["import", "channels", "pipe", "--format", "csv", "--json"]);
    const writer = Bun.spawn(["sh", "-c", 'cat > "$0"', machine.path("pipe")], {
      stdin: new Blob([CHANNELS]),
    });
    // A program that opens the pipe twice would wait forever for a second writer.
    const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const out = await child.stdout.text();
    clearTimeout(timer);
    writer.kill("SIGKILL");
    expect(out).not.toBe("");
    expect(summaryOf(out)).toMatchObject({ read: 4, inserted: 3, rejected: 1 });
  },
);

test("--dry-run predicts exactly what the import then does, and changes nothing", async () => {
  machine.write("base.csv", "id,title,subscribers\n1,Один,10\n2,Два,20\n");
  await machine.run(["import", "channels", "base.csv"]);
  machine.write("channels.csv", CHANNELS.replace("Два", "Две"));
  const before = machine.query("SELECT * FROM channels JOIN channel_cards USING (id)");

  const words = ["import", "channels", "channels.csv", "--json"];
  const dry = await machine.run([...words, "--dry-run"]);
  expect(dry.exitCode).toBe(3);
  expect(machine.query("SELECT * FROM channels JOIN channel_cards USING (id)")).toEqual(before);
  const real = await machine.run(words);
  expect(summaryOf(dry.out)).toEqual(summaryOf(real.out));
  expect(summaryOf(real.out)).toEqual({
    handles_moved: 0,
    ...{ read: 4, inserted: 1, updated: 1, unchanged: 1, kept_out: 0, rejected: 1 },
  });
  const left = [...new Bun.Glob("*").scanSync({ cwd: machine.folder, onlyFiles: false })];
  expect(left.filter((name) => name.startsWith("kanalog-dry-run-"))).toEqual([]);
});

test("--dry-run with --replace removes nothing", async () => {
  machine.write("categories.csv", "slug,name\nonly,Одна\n");
  const words = ["import", "categories", "categories.csv", "--replace", "--json"];
  const shipped = (await machine.run(["import", "categories", "categories.csv", "--json"]))
    .exitCode;
  expect(shipped).toBe(0);
  const count = () => machine.query<{ n: number }>("SELECT count(*) AS n FROM categories")[0]?.n;
  const before = count() ?? 0;
  expect(before).toBeGreaterThan(2);
  const dry = await machine.run([...words, "--dry-run"]);
  expect(count()).toBe(before);
  const real = await machine.run(words);
  expect(summaryOf(dry.out)).toEqual(summaryOf(real.out));
  expect(summaryOf(real.out)).toEqual({
    ...{
      read: 1,
      inserted: 0,
      updated: 0,
      unchanged: 1,
      kept_out: 0,
      rejected: 0,
      removed: before - 1,
    },
  });
  expect(count()).toBe(1);
});

test("--dry-run without a database says what would happen, and creates none", async () => {
  machine.write("channels.csv", CHANNELS);
  const environment = { KANALOG_DB: machine.path("data/kanalog.db") };
  const words = ["import", "channels", "channels.csv", "--json", "--dry-run"];
  const { exitCode, out } = await machine.run(words, { environment });
  expect(exitCode).toBe(3);
  expect(summaryOf(out)).toMatchObject({ read: 4, inserted: 3, rejected: 1 });
  expect(machine.exists("data/kanalog.db")).toBe(false);
});

test("a file that cannot be imported is one line and changes nothing; exit 1, or 2 for its content or wrong usage", async () => {
  mkdirSync(machine.path("folder"));
  machine.write("base.csv", "id,title,subscribers\n1,Один,10\n");
  await machine.run(["import", "channels", "base.csv"]);
  machine.write("header.csv", "id,titel,subscribers\n1,A,1\n");
  const late = Buffer.concat([
    Buffer.from("id,title,subscribers\n"),
    Buffer.from(Array.from({ length: 20_000 }, (_, at) => `${at + 1},T,1\n`).join("")),
    Buffer.from("30000,Канал\n"),
    Buffer.from("30001,\xff,1\n", "latin1"),
  ]);
  machine.write("damaged.csv", late);
  for (const [words, exitCode, expected] of [
    [["channels", "missing.csv"], 1, "missing.csv"],
    [["channels", "folder"], 1, "directory"],
    [["channels", "header.csv"], 2, "titel"],
    [["channels", "header.csv"], 2, "--map THEIRS=ours"],
    [["channels", "damaged.csv"], 2, "damaged.csv is not UTF-8 (line 20003)."],
    [["channels", "base.csv", "--timezone", "Moscow"], 2, "IANA name"],
    [["channels", "base.csv", "--map", "id"], 2, "theirs=ours"],
    [["channels", "base.csv", "--map", "x=id", "--map", "x=title"], 2, "both id and title"],
    [["channels", "base.csv", "--map", "id=number"], 2, 'no column "number"'],
    [["channels", "base.csv", "--map-file", "header.csv"], 2, "not a JSON object of names"],
    [["channels", "base.csv", "--map-file", "missing.json"], 2, "missing.json cannot be read"],
    [["posts", "base.csv"], 2, "Import it as channels."],
    [
      ["stats", "base.csv", "--from", "telethon"],
      2,
      "Files of telethon contain only posts and channels.",
    ],
    [["shops", "base.csv"], 2, "categories, territories, channels, stats, posts"],
    [["channels"], 2, "file"],
    [["channels", "base.csv", "--format", "xml"], 2, "csv, ndjson, json"],
    [["channels", "base.csv", "--replace"], 2, "categories and territories"],
  ] as [string[], number, string][]) {
    const finished = await machine.run(["import", ...words]);
    expect({ words, exitCode: finished.exitCode, out: finished.out }).toEqual({
      ...{ words, exitCode, out: "" },
    });
    expect(finished.notes.trimEnd().split("\n"), words.join(" ")).toHaveLength(1);
    expect(finished.notes).toContain(expected);
  }
  expect(titles()).toEqual(["Один"]);
});

test("image files are found beside the file that names them", async () => {
  const webp = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
  mkdirSync(machine.path("pictures"));
  machine.write("pictures/auto.webp", webp);
  machine.write("pictures/categories.csv", "slug,image\nauto,auto.webp\n");
  const { exitCode, out } = await machine.run([
    ...["import", "categories", "pictures/categories.csv", "--json"],
  ]);
  expect(exitCode).toBe(0);
  expect(summaryOf(out)).toMatchObject({ updated: 1 });
});

test("--rejects never overwrites the input, the database or its secret", async () => {
  machine.write("channels.csv", CHANNELS);
  await machine.run(["import", "channels", "channels.csv"]);
  machine.write("kanalog.db.secret", "secret");
  const targets = ["channels.csv", "kanalog.db", "kanalog.db-wal", "kanalog.db.secret"];
  for (const target of [...targets, machine.database]) {
    const { exitCode, notes } = await machine.run([
      ...["import", "channels", "channels.csv", "--rejects", target],
    ]);
    expect(exitCode).toBe(2);
    expect(notes).toContain("is the input, the database or its secret");
  }
  expect(machine.read("kanalog.db.secret")).toBe("secret");
  expect(machine.read("channels.csv")).toBe(CHANNELS);
  expect(titles()).toEqual(["Один", "Два", "Четыре"]);
});

test("the format of standard input is recognized from its beginning", async () => {
  const csv = await machine.run(["import", "channels", "-", "--json"], { stdin: CHANNELS });
  expect(summaryOf(csv.out)).toMatchObject({ read: 4, inserted: 3 });
  const stdin = '\n{"id":9,"title":"Девять","subscribers":1}\n';
  const ndjson = await machine.run(["import", "channels", "-", "--json"], { stdin });
  expect(summaryOf(ndjson.out)).toMatchObject({ read: 1, inserted: 1 });
});

for (const [signal, ...words] of [["SIGINT"], ["SIGTERM"], ["SIGINT", "--dry-run"]] as const) {
  test(`${signal} ends an import ${words.join(" ")} between rows, says so, and leaves nothing behind`, async () => {
    await machine.run(["plan", "list"]);
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at + 1},Канал ${at},${at}`);
    machine.write("many.csv", ["id,title,subscribers", ...rows].join("\n"));
    const files = () => [...new Bun.Glob("*").scanSync({ cwd: machine.folder, onlyFiles: false })];
    const child = machine.spawn(["import", "channels", "many.csv", ...words]);
    await until(() =>
      words.length > 0
        ? files().some((name) => name.startsWith("kanalog-dry-run-"))
        : titles().length > 0,
    );
    child.kill(signal);
    const [notes, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
    expect(exitCode).toBe(130);
    if (words.length > 0)
      expect(notes).toBe("Interrupted. This was a dry run: nothing was changed.\n");
    const reported = /^Interrupted: (\d+) rows .* for the rest\.$/m.exec(notes)?.[1];
    expect(files().filter((name) => name.startsWith("kanalog-dry-run-"))).toEqual([]);
    if (words.length > 0) return;
    const stored = titles().length;
    expect(Number(reported)).toBe(stored);
    const again = await machine.run(["import", "channels", "many.csv", "--json"]);
    expect(summaryOf(again.out)).toMatchObject({ unchanged: stored, inserted: 20_000 - stored });
  });
}

test("all faults of the options are told at once, and no database is created", async () => {
  const wrong = ["--timezone", "Moscow", "--map", "id", "--format", "pdf"];
  for (const words of [
    ["import", "channels", "base.csv", ...wrong],
    ["source", "add", "pull", "--url", "https://data.example.com/a.csv", ...wrong],
  ]) {
    const { exitCode, out, notes } = await machine.run(words);
    expect([exitCode, out, existsSync(machine.database)]).toEqual([2, "", false]);
    const named = ["--format: ", "--map: ", "--timezone: "];
    if (words[0] === "source") named.unshift("--kind: This field is required.");
    for (const fault of named) expect(notes).toContain(fault);
    expect(notes.trimEnd().split("\n")).toHaveLength(named.length);
  }
});

test("a file with other column names is read by a map, and the summary says how it was read", async () => {
  machine.write("names.json", '{"Номер": "id", "Имя": "title"}');
  const rows =
    "Номер;Название;Подписчики;Дата;Ещё\n1;Один;1 292 258;01.02.2025;x\n2;Два;5;вчера;y\n";
  const windows = windows1251(rows);
  const words = [
    ...["import", "channels", "-", "--map-file", "names.json", "--map", "Название=title"],
    ...["--map", "подписчики = subscribers", "--map", "Дата=last_post_at", "--ignore-unknown"],
    ...["--timezone", "asia/omsk"],
  ];
  const { exitCode, out, notes } = await machine.run(words, { stdin: gzipSync(windows) });
  expect({ exitCode, notes }).toEqual({
    exitCode: 0,
    notes: expect.stringContaining(
      "warning: last_post_at: Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999. (1 x, line 3: вчера)\n",
    ),
  });
  expect(notes).toContain("warning: The file is not UTF-8 and was read as Windows-1251.");
  expect(out.split("\n").slice(1)).toEqual([
    "Read as CSV, separated by semicolons, Windows-1251, gzip, times without an offset are in Asia/Omsk.",
    "Columns: Номер = id, Название = title, Подписчики = subscribers, Дата = last_post_at.",
    "Columns ignored, because there is no field for them: Ещё.",
    "",
  ]);
  const json = await machine.run([...words, "--json", "--strict"], { stdin: windows });
  expect(json.exitCode).toBe(3);
  expect(JSON.parse(json.out)).toMatchObject({
    ...{ read: 2, inserted: 0, unchanged: 1, rejected: 1 },
    recognized: {
      ...{ format: "csv", separator: ";", encoding: "Windows-1251", compression: null },
      ...{ from: null, ignored: ["Ещё"], timezone: "Asia/Omsk" },
      renamed: { id: "Номер", title: "Название", subscribers: "Подписчики" },
    },
    rejects: [{ column: "last_post_at", count: 1, line: 3, value: "вчера" }],
    warnings: [{ column: null, count: 1 }],
  });
  expect(titles()).toEqual(["Один", "Два"]);
});

test("moved handles are counted, and listed with both numbers on standard error, also by --dry-run", async () => {
  const row = (n: number, handle: number) => `${n},${n},h${handle},T${n},1`;
  const file = (rows: string[]) => ["id,msgr_id,handle,title,subscribers", ...rows, ""].join("\n");
  const numbers = Array.from({ length: 22 }, (_, at) => at + 1);
  machine.write("before.csv", file(numbers.map((n) => row(n, n))));
  machine.write("after.csv", file(numbers.map((n) => row(n + 100, n))));
  await machine.json(["import", "channels", "before.csv"]);
  for (const options of [["--dry-run"], []]) {
    const { exitCode, out, notes } = await machine.run([
      ...["import", "channels", "after.csv", "--json", ...options],
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ inserted: 22, handles_moved: 22 });
    const lines = notes.split("\n");
    expect(lines[0]).toBe("@h1 moved from channel 1 to channel 101.");
    expect(lines[19]).toBe("@h20 moved from channel 20 to channel 120.");
    expect(lines[20]).toBe("… and 2 more handles moved to other channels.");
  }
  expect((await machine.run(["import", "channels", "before.csv"])).out).toContain(
    "0 rejected, 22 handles moved (",
  );
});
