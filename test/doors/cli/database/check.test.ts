import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { openDatabase } from "../../../../src/db/open-database.ts";
import { systemClock } from "../../../../src/ports/clock.ts";
import { systemPorts } from "../../../../src/ports/ports.ts";
import { checkDatabase } from "../../../../src/upkeep/checks/check.ts";
import { runHere } from "../../../support/command.ts";
import { fakeClock } from "../../../support/fake-ports.ts";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

test("check finds no faults in a sound database, with and without a server that writes to it", async () => {
  const server = await machine.serve(["start"]);
  const key = /knl_rw_\w+/.exec(server.printed())?.[0] ?? "";
  const calls = { under: true };
  const calling = (async () => {
    while (calls.under) await server.get("/v1/msgr/channels/", key);
  })();
  const beside = await machine.run(["check"]);
  calls.under = false;
  await calling;
  expect(beside.notes).toBe("");
  expect(beside.out.trimEnd().split("\n")).toEqual([
    ...["ok     schema", "ok     file", "ok     foreign keys", "ok     channels", "ok     twins"],
    ...["ok     directories", "ok     search index", "ok     post search"],
    ...["ok     usage", "ok     webhooks"],
  ]);
  expect(beside.exitCode).toBe(0);
  await server.stop();
  const { results } = await machine.json<{ results: { faults: string[] }[] }>(["check"]);
  expect(results.flatMap(({ faults }) => faults)).toEqual([]);
});

test("a check that was stopped goes on with the part or table it was at", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
  const db = machine.open();
  db.exec("INSERT INTO usage_periods VALUES (1, 0, 3)");
  db.close();
  const parts = async (from: string) => {
    const { out } = await machine.run(["check", "--from", from, "--json"]);
    return JSON.parse(out).results.map(({ name }: { name: string }) => name);
  };
  expect(await parts("usage")).toEqual(["usage", "webhooks"]);
  expect((await parts("file/posts")).slice(0, 2)).toEqual(["file", "foreign keys"]);
  expect((await machine.run(["check", "--from", "usage"])).exitCode).toBe(1);
  expect((await machine.run(["check", "--from", "webhooks"])).exitCode).toBe(0);
  const wrong = await machine.run(["check", "--from", "nothing"]);
  expect([wrong.exitCode, wrong.out]).toEqual([2, ""]);
  expect(wrong.notes).toContain("One of schema, file, foreign keys");
});

test.each([
  ["file/nonsense", "file has no step nonsense, but accounts_version,"],
  ["file/", "file has no step , but"],
  ["file/posts/1", "file has no step posts/1, but"],
  ["usage/nonsense", "usage has no steps"],
  ["post search/2020-01", "post search has no step"],
])(
  "a check from %s, which there is not, is refused before anything is read",
  async (from, says) => {
    await machine.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
    const { exitCode, out, notes } = await machine.run(["check", "--from", from]);
    expect([exitCode, out]).toEqual([2, ""]);
    expect(notes).toContain(`--from: ${says}`);
  },
);

test("in a log, a check that takes long says what it is at every ten seconds", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
  let nowMs = 0;
  const monotonic = () => {
    nowMs += 2_500;
    return nowMs;
  };
  const { out, notes } = await runHere(
    machine.path(""),
    { KANALOG_DB: machine.database },
    ["check", "--json"],
    undefined,
    (config) => ({ ...systemPorts(config), clock: { ...systemClock, monotonic } }),
  );
  expect(JSON.parse(out).results).toHaveLength(10);
  const lines = notes.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line).toMatch(/^[a-z ]+(\/\S+ \(\d+ of \d+\))?$/);
  const [, step = ""] =
    /^(file\/\S+) /.exec(lines.find((line) => line.startsWith("file/")) ?? "") ?? [];
  expect((await machine.run(["check", "--from", step])).exitCode).toBe(0);
});

test("a step to begin with skips those before it, and none of the parts after it", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const reader = openDatabase(machine.database, clock, "reader");
  const seen = (from: string): string[] => {
    const names: string[] = [];
    checkDatabase(reader, () => {}, { from, onStep: (name) => names.push(name) });
    return names;
  };
  const all = seen("schema");
  expect(all).toContain("file/posts");
  expect(seen("file/posts")).toEqual(all.slice(all.indexOf("file/posts")));
  reader.close();
});

test("check prints faults one per line, exits with 1, and changes nothing", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
  const db = machine.open();
  db.pragma("foreign_keys = OFF");
  db.exec("INSERT INTO usage_periods VALUES (1, 0, 3)");
  db.exec("INSERT INTO keys VALUES (1, 99, 'k', 'p', x'00', 'read_only', 0, NULL, NULL, NULL)");
  db.close();
  const before = readFileSync(machine.database);
  const { exitCode, out, notes } = await machine.run(["check"]);
  expect({ exitCode, notes }).toEqual({ exitCode: 1, notes: "" });
  expect(out.split("\n").filter((line) => line.startsWith("fault"))).toEqual([
    "fault  foreign keys: Rows of keys without their row of members: 1.",
    "fault  usage: Organizations with fewer units by day than by period: 1.",
  ]);
  const asJson = await machine.run(["check", "--json"]);
  expect(asJson.exitCode).toBe(1);
  expect(JSON.parse(asJson.out).results).toContainEqual({
    name: "foreign keys",
    faults: ["Rows of keys without their row of members: 1."],
  });
  expect(readFileSync(machine.database).equals(before)).toBe(true);
});

test("check says what is wrong with a file damaged in many places, and never prints a stack", async () => {
  await machine.run(["plan", "list"]);
  const sound = readFileSync(machine.database);
  for (const pages of [[60, 100, 101, 102], [2, 3, 4, 5], [1]]) {
    const bytes = Buffer.from(sound);
    // The first 100 bytes are SQLite's header, without which it is not a database at all.
    for (const page of pages) bytes.fill(0x5a, Math.max((page - 1) * 4096, 100), page * 4096);
    writeFileSync(machine.database, bytes);
    const { exitCode, out, notes } = await machine.run(["check"]);
    expect({ exitCode, notes }).toEqual({ exitCode: 1, notes: "" });
    expect(out).toContain("fault  file: ");
    const asJson = await machine.run(["check", "--json"]);
    expect(asJson).toMatchObject({ exitCode: 1, notes: "" });
    expect(JSON.parse(asJson.out).results).toContainEqual({
      name: "file",
      faults: expect.arrayContaining([
        expect.stringMatching(/malformed|btreeInitPage|not a database/),
      ]),
    });
  }
});

test("a check from a step that the damaged file cannot tell reports the damage", async () => {
  await machine.run(["plan", "list"]);
  const db = machine.open();
  db.pragma("wal_checkpoint(TRUNCATE)");
  const page = db
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'post_search_parts'")
    .pluck()
    .get() as number;
  db.close();
  const bytes = readFileSync(machine.database);
  bytes.fill(0x5a, (page - 1) * 4096, page * 4096);
  writeFileSync(machine.database, bytes);
  const { exitCode, out, notes } = await machine.run(["check", "--from", "post search/2026-11"]);
  expect([exitCode, notes]).toEqual([1, ""]);
  expect(out).toMatch(/^fault {2}post search: .*malformed/);
});

test("check says that a file is not a database of Kanalog, and does not change it", async () => {
  const theirs = machine.open();
  theirs.exec("CREATE TABLE notes (text TEXT)");
  theirs.close();
  const before = readFileSync(machine.database);
  const { exitCode, out } = await machine.run(["check"]);
  expect(exitCode).toBe(1);
  expect(out).toBe(`fault  file: ${machine.database} is not a database of Kanalog.\n`);
  expect(readFileSync(machine.database).equals(before)).toBe(true);
});

test("check names an index that is missing", async () => {
  await machine.run(["plan", "list"]);
  const db = machine.open();
  db.exec("DROP INDEX posts_by_time");
  db.close();
  const { exitCode, out } = await machine.run(["check"]);
  expect(exitCode).toBe(1);
  expect(out).toContain(
    "The index posts_by_time is missing or differs from what this program creates.",
  );
});

test("check finds a corrupted page, and refuses a missing database and an unknown schema version", async () => {
  const missing = await machine.run(["check"]);
  expect(missing.exitCode).toBe(1);
  expect(missing.notes).toContain("There is no database");
  expect(machine.exists("kanalog.db")).toBe(false);

  await machine.run(["plan", "list"]);
  const bytes = readFileSync(machine.database);
  const at = bytes.lastIndexOf("moskva");
  bytes.fill(0x5a, at - (at % 4096), at - (at % 4096) + 4096);
  writeFileSync(machine.database, bytes);
  const corrupted = await machine.run(["check"]);
  expect(corrupted.exitCode).toBe(1);
  expect(corrupted.out).toContain("fault  file: ");

  const newer = machine.open();
  newer.pragma("user_version = 199");
  newer.close();
  const refused = await machine.run(["check"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.out).toMatch(/^fault {2}file: .*199/);
});
