import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { SCHEMA_VERSION, schemaVersion } from "../../src/db/schema-version.ts";
import { fakeClock } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";

const clock = fakeClock("2026-11-20T12:00:00+03:00");
let machine: Machine;
let db: Database;
beforeEach(() => {
  machine = createMachine();
  db = openDatabase(machine.path("a.db"), clock);
});
afterEach(async () => {
  db.close();
  await machine.leave();
});

const schema = () => db.prepare("SELECT type, name, sql FROM sqlite_schema").all();

test("a new file gets this program's schema, with WAL and foreign keys", async () => {
  expect(await migrate(db, clock)).toEqual({ from: 0, snapshot: null });
  expect(schemaVersion(db)).toBe(SCHEMA_VERSION);
  expect(db.pragmaValue("journal_mode")).toBe("wal");
  expect(db.pragmaValue("foreign_keys")).toBe(1);
  expect(() => db.exec("INSERT INTO daily_statistics VALUES (1, 1, 1, 1, 1, 1, 1)")).toThrow(
    "FOREIGN KEY",
  );
});

test("a file of this version is left unchanged", async () => {
  await migrate(db, clock);
  const before = schema();
  expect(await migrate(db, clock)).toEqual({ from: SCHEMA_VERSION, snapshot: null });
  expect(schema()).toEqual(before);
});

test("a file of a newer program is refused, naming both versions, and left unchanged", async () => {
  await migrate(db, clock);
  db.pragma("user_version = 199");
  const before = schema();
  const error = await migrate(db, clock).catch((reason) => reason);
  expect(error).toMatchObject({ code: "conflict" });
  expect(error.detail).toContain("199");
  expect(error.detail).toContain(String(SCHEMA_VERSION));
  expect(schema()).toEqual(before);
  expect(schemaVersion(db)).toBe(199);
});

test("a migration that fails leaves the file unchanged", async () => {
  db.pragma("query_only = ON");
  await expect(migrate(db, clock)).rejects.toThrow();
  db.pragma("query_only = OFF");
  expect(schema()).toEqual([]);
  expect(schemaVersion(db)).toBe(0);
});

test("a database of another program is refused and left unchanged", async () => {
  db.exec("CREATE TABLE theirs (x)");
  await expect(migrate(db, clock)).rejects.toThrow("another program");
  expect(schema()).toHaveLength(1);
});

test("every command refuses a newer file in one line, with exit code 1", async () => {
  await migrate(db, clock);
  db.pragma("user_version = 199");
  const environment = { KANALOG_DB: machine.path("a.db") };
  for (const words of [["org", "list"], ["serve"]]) {
    const { exitCode, out, notes } = await machine.run(words, { environment });
    expect(exitCode).toBe(1);
    expect(out).toBe("");
    expect(notes.trimEnd().split("\n")).toHaveLength(1);
    expect(notes).toContain("199");
  }
});

test("a process that opens a new file while another one creates it waits", async () => {
  const maker = machine.open();
  maker.exec("BEGIN EXCLUSIVE");
  const waiting = machine.runProgram(["plan", "list", "--json"]);
  // As long as creating the schema takes on a slow disk.
  await new Promise((resolve) => setTimeout(resolve, 600));
  maker.exec("COMMIT");
  maker.close();
  const { exitCode, notes } = await waiting;
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
});

test("a process waits for the schema for as long as another needs on a slow machine, and then needs no lock", async () => {
  const maker = machine.open();
  maker.pragma("journal_mode = WAL");
  maker.exec("BEGIN IMMEDIATE");
  const startedMs = clock.now();
  let isMade = false;
  const waiting = {
    ...clock,
    async sleep(durationMs: number) {
      clock.advance(durationMs);
      if (isMade || clock.now() - startedMs < 30_000) return;
      isMade = true;
      maker.pragma(`user_version = ${SCHEMA_VERSION}`);
      maker.exec("COMMIT; BEGIN IMMEDIATE");
    },
  };
  using waiter = openDatabase(machine.database, clock);
  expect(await migrate(waiter, waiting)).toEqual({ from: SCHEMA_VERSION, snapshot: null });
  maker.close();
});

test("of processes that open a new file at once all succeed, and one creates the schema", async () => {
  const finished = await Promise.all(
    Array.from({ length: 8 }, () => machine.runProgram(["plan", "list", "--json"])),
  );
  for (const { exitCode, notes, out } of finished) {
    expect(exitCode, notes).toBe(0);
    expect(JSON.parse(out).results).toHaveLength(4);
  }
  const count = (table: string) =>
    machine.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n;
  expect(count("plans")).toBe(4);
  expect(count("meta")).toBe(2);
  const twice = machine.query(
    "SELECT position FROM territories GROUP BY position HAVING count(*) > 1",
  );
  expect(twice).toEqual([]);
});
