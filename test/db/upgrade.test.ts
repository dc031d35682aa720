import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { FIRST_VERSION, MIGRATIONS, schemaVersion } from "../../src/db/schema-version.ts";
import { fakeClock } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";

/** Migrations of later programs, tried with made-up ones, and files of programs before the first release. */

const clock = fakeClock("2026-11-20T12:00:00+03:00");
let machine: Machine;
let db: Database;
beforeEach(async () => {
  machine = createMachine();
  clock.set("2026-11-20T12:00:00+03:00");
  db = openDatabase(machine.database, clock);
  await migrate(db, clock, []);
  db.exec(`
    INSERT INTO organizations VALUES (1, 'Acme', 'acme', 'profi', 0, NULL, 0, NULL);
    INSERT INTO members VALUES (7, 1, 'ada@example.com', 'Ada', 'owner', 0, NULL);`);
});
afterEach(async () => {
  db.close();
  await machine.leave();
});

const ADDS_NOTE = "ALTER TABLE organizations ADD COLUMN note TEXT NOT NULL DEFAULT 'none'";
const REBUILDS = `
  CREATE TABLE rebuilt (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT NOT NULL) STRICT;
  INSERT INTO rebuilt SELECT id, name, note FROM organizations;
  DROP TABLE organizations;
  ALTER TABLE rebuilt RENAME TO organizations`;

const snapshots = (): string[] =>
  readdirSync(machine.folder).filter((name) => name.startsWith("kanalog.db.before-schema-"));

const organizations = (of: Database = db) => of.prepare("SELECT * FROM organizations").all();

test("migrations run in order, keep rows and those that refer to them, and leave a copy of the file as it was", async () => {
  const before = organizations();
  const snapshot = `${machine.database}.before-schema-${FIRST_VERSION + 2}-2026-11-20T12-00-00`;
  expect(await migrate(db, clock, [ADDS_NOTE, REBUILDS])).toEqual({
    from: FIRST_VERSION,
    snapshot,
  });
  expect(schemaVersion(db)).toBe(FIRST_VERSION + 2);
  expect(organizations()).toEqual([{ id: 1, name: "Acme", note: "none" }]);
  expect(db.prepare("SELECT id FROM members").all()).toEqual([{ id: 7 }]);
  expect(db.pragmaValue("foreign_keys")).toBe(1);
  expect(statSync(snapshot).mode & 0o777).toBe(0o600);
  using copy = openDatabase(snapshot, clock, "reader");
  expect(schemaVersion(copy)).toBe(FIRST_VERSION);
  expect(organizations(copy)).toEqual(before);
});

test("a file that is between gets only the migrations that it lacks, and a new one all of them", async () => {
  await migrate(db, clock, [ADDS_NOTE]);
  expect(await migrate(db, clock, [ADDS_NOTE, REBUILDS])).toMatchObject({
    from: FIRST_VERSION + 1,
  });
  expect(organizations()).toEqual([{ id: 1, name: "Acme", note: "none" }]);
  using fresh = openDatabase(machine.path("new.db"), clock);
  expect(await migrate(fresh, clock, [ADDS_NOTE, REBUILDS])).toEqual({ from: 0, snapshot: null });
  expect(schemaVersion(fresh)).toBe(FIRST_VERSION + 2);
  expect(organizations(fresh)).toEqual([]);
});

test("a migration that fails, or would leave dangling references, leaves the file unchanged and no copy", async () => {
  const before = organizations();
  await expect(migrate(db, clock, [ADDS_NOTE, "CREATE TABLE posts (theirs)"])).rejects.toThrow(
    "already exists",
  );
  await expect(migrate(db, clock, [ADDS_NOTE, "DELETE FROM organizations"])).rejects.toThrow(
    "a migration left rows of members",
  );
  expect(schemaVersion(db)).toBe(FIRST_VERSION);
  expect(organizations()).toEqual(before);
  expect(db.pragmaValue("foreign_keys")).toBe(1);
  expect(snapshots()).toEqual([]);
});

test("a copy is taken only before a migration, and the last two are kept", async () => {
  const foreign = "kanalog.db.before-schema-mine";
  machine.write(foreign, "precious");
  const migrations: string[] = [];
  for (const day of [1, 2, 3]) {
    clock.set(`2026-12-0${day}T12:00:00+03:00`);
    await migrate(db, clock, migrations);
    migrations.push(`CREATE TABLE day_${day} (x)`);
    await migrate(db, clock, migrations);
  }
  expect(snapshots().sort()).toEqual([
    `kanalog.db.before-schema-${FIRST_VERSION + 2}-2026-12-02T12-00-00`,
    `kanalog.db.before-schema-${FIRST_VERSION + 3}-2026-12-03T12-00-00`,
    foreign,
  ]);
});

test("if the copy cannot be written, nothing is migrated and the error says so", async () => {
  // A folder occupies the copy's name.
  const name = `${machine.database}.before-schema-${FIRST_VERSION + 1}-2026-11-20T12-00-00`;
  mkdirSync(name);
  await expect(migrate(db, clock, [ADDS_NOTE])).rejects.toMatchObject({
    detail: expect.stringContaining(name),
  });
  expect(schemaVersion(db)).toBe(FIRST_VERSION);
});

/** A file with the number of a program before the first release; its tables do not matter. */
function fileBeforeRelease(name: string, version: number): string {
  const path = machine.path(name);
  db.copyTo(path);
  const old = new BetterSqlite3(path);
  old.pragma(`user_version = ${version}`);
  old.pragma("journal_mode = WAL");
  old.close();
  return path;
}

for (const version of [1, 31, FIRST_VERSION - 1]) {
  test(`a file of schema version ${version}, before the first release, is refused in one line that says what to do, and left unchanged`, async () => {
    const file = fileBeforeRelease("old.db", version);
    const environment = { KANALOG_DB: file };
    const before = readFileSync(file);
    const folder = () =>
      readdirSync(machine.folder).filter((name) => !/^old\.db-|^\.bun/.test(name));
    machine.write("channels.csv", "title,subscribers\nOne,1\n");
    const names = folder();
    const commands = [
      ["serve"],
      ["org", "list"],
      ["import", "channels", machine.path("channels.csv")],
      ["export", "channels", "-"],
      ["search", "explain", "x"],
      ["backup", machine.path("copy.db")],
    ];
    const refusals = [
      ...(await Promise.all(commands.map((words) => machine.run(words, { environment })))),
      await machine.run(["restore", file]),
    ];
    for (const { exitCode, out, notes } of refusals) {
      expect({ exitCode, out, lines: notes.trimEnd().split("\n").length }, notes).toEqual({
        ...{ exitCode: 1, out: "", lines: 1 },
      });
      expect(notes).toContain(`schema version ${version}:`);
      expect(notes).toContain("kanalog export channels channels.ndjson");
      expect(notes).toContain("kanalog import channels channels.ndjson");
    }
    const checked = await machine.run(["check"], { environment });
    expect(checked.exitCode).toBe(1);
    expect(checked.out).toContain("kanalog export channels channels.ndjson");
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(folder()).toEqual(names);
  });
}

/** Hashes of the schema and of each migration: files that released ones made keep their tables. */
const STANDING = { first: "4033d48be895", version: 118, migrations: [] as string[] };

/** Hash of SQL, regardless of comments and line breaks. */
function hashOf(sql: string): string {
  const plain = sql.replaceAll(/--[^\n]*/g, "").replaceAll(/\s+/g, " ");
  return new Bun.CryptoHasher("sha256").update(plain.trim()).digest("hex").slice(0, 12);
}

test("the schema changes only together with its version: until 1.0.0 the first one rises, then there is a migration", async () => {
  const schema = await Bun.file("src/db/schema.sql").text();
  expect({
    first: hashOf(schema),
    version: FIRST_VERSION,
    migrations: MIGRATIONS.map(hashOf),
  }).toEqual(STANDING);
});
