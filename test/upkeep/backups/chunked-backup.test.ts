import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "../../../src/db/database.ts";
import { openExisting } from "../../../src/db/open-database.ts";
import { backUp, backupPlace } from "../../../src/upkeep/backups/backup-files.ts";
import { readChunked, unpackChunked } from "../../../src/upkeep/backups/chunked-backup.ts";
import { type FakePorts, fakePorts } from "../../support/fake-ports.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

let machine: Machine;
let db: Database;
let clock: FakePorts["clock"];
beforeEach(async () => {
  machine = createMachine();
  await machine.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
  clock = fakePorts().clock;
  clock.set("2026-11-01T04:00:00+03:00");
  db = openExisting(machine.database, clock);
});
afterEach(async () => {
  db.close();
  await machine.leave();
});

const DAY_MS = 24 * 60 * 60 * 1000;
const folder = () => machine.path("copies");
const plan = (kept: number) => ({ place: backupPlace(folder(), machine.database), kept });

const backups = (): string[] => readdirSync(folder()).filter((name) => name.endsWith(".backup"));
const chunks = (): string[] =>
  readdirSync(join(folder(), "kanalog-chunks"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.length > 64)
    .map((name) => join(folder(), "kanalog-chunks", name));
const bytesOf = (paths: string[]) => paths.reduce((sum, path) => sum + statSync(path).size, 0);

/** Everything that a file holds, by table. */
function contentOf(path: string): string {
  const client = new BetterSqlite3(path, { readonly: true });
  const tables = client
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[];
  const content = tables.map((name) => [name, client.prepare(`SELECT * FROM "${name}"`).all()]);
  client.close();
  return JSON.stringify(content);
}

function restored(name: string): string {
  const [path, target] = [join(folder(), name), machine.path("restored.db")];
  rmSync(target, { force: true });
  unpackChunked(path, readChunked(path) ?? [], target);
  return contentOf(target);
}

/** Texts that a compressor cannot make small, as a day brings them. */
function addDay(day: number): void {
  const client = machine.open();
  const text = () => Buffer.from(crypto.getRandomValues(new Uint8Array(300))).toString("base64");
  client.exec("CREATE TABLE IF NOT EXISTS texts (day INTEGER, text TEXT)");
  const add = client.prepare("INSERT INTO texts VALUES (?, ?)");
  client.transaction(() => {
    for (let at = 0; at < 500; at++) add.run(day, text());
  })();
  client.prepare("UPDATE organizations SET name = ?").run(`Acme on day ${day}`);
  client.close();
}

test("each day of a month can be restored, and a day adds what it changed", async () => {
  const wanted = new Map<string, string>();
  const added: number[] = [];
  for (let day = 1; day <= 30; day++) {
    addDay(day);
    const copy = await backUp(db, clock, plan(30));
    wanted.set(copy.path, contentOf(machine.database));
    added.push(copy.addedBytes);
    clock.advance(DAY_MS);
  }
  for (const [path, content] of wanted)
    expect(restored(path.split("/").at(-1) ?? "")).toBe(content);
  // A day has 0.2 MB of texts, and changes the chunks of the rows beside.
  expect(Math.max(...added.slice(1))).toBeLessThan(1_300_000);
  expect(bytesOf(chunks())).toBe(added.reduce((sum, bytes) => sum + bytes, 0));
});

test("a backup that is removed takes along what only it needed, a day after it was last needed", async () => {
  for (let day = 1; day <= 6; day++) {
    addDay(day);
    await backUp(db, clock, plan(2));
    const client = machine.open();
    client.prepare("DELETE FROM texts").run();
    client.close();
    clock.advance(DAY_MS);
  }
  expect(backups()).toHaveLength(2);
  const listed = new Set(backups().flatMap((name) => readChunked(join(folder(), name)) ?? []));
  const left = chunks().filter((path) => !listed.has(path.slice(-64)));
  // Those of the backup before, which might have been in use within the last day.
  expect(left.length).toBeLessThan(10);
  for (const name of backups()) expect(restored(name)).toContain("Acme on day");
});

test("chunks stay while a backup of the folder cannot be read", async () => {
  addDay(1);
  await backUp(db, clock, plan(1));
  const before = chunks();
  writeFileSync(join(folder(), "of-another.backup"), "cut");
  clock.advance(3 * DAY_MS);
  addDay(2);
  await backUp(db, clock, plan(1));
  expect(chunks()).toEqual(expect.arrayContaining(before));
});

test("a backup to a folder is restored; a damaged or missing chunk is named, and changes nothing", async () => {
  const made = await machine.json<{ path: string; bytes: number; added_bytes: number }>([
    ...["backup", "--to", "copies"],
  ]);
  expect(made.bytes).toBeGreaterThan(made.added_bytes);
  expect(made.bytes).toBe(statSync(machine.database).size);
  await machine.json(["org", "create", "--name", "Later", "--plan", "profi"]);
  db.close();
  const later = contentOf(machine.database);
  const [chunk = ""] = chunks();
  const content = await Bun.file(chunk).bytes();
  for (const damaged of [content.slice(0, 9), Bun.zstdCompressSync("other"), null]) {
    rmSync(chunk);
    if (damaged !== null) writeFileSync(chunk, damaged);
    const refused = await machine.run(["restore", made.path]);
    expect(refused.exitCode).toBe(1);
    expect(refused.notes).toContain(chunk.slice(-64));
    expect(contentOf(machine.database)).toBe(later);
    writeFileSync(chunk, content);
  }
  await machine.json(["restore", made.path]);
  expect(contentOf(machine.database)).not.toContain("Later");
  expect(contentOf(machine.database)).toContain("Acme");
});

test("a backup needs a file or a folder, and not both", async () => {
  for (const words of [[], ["copy.db", "--to", "copies"]]) {
    const { exitCode, notes } = await machine.run(["backup", ...words]);
    expect([exitCode, notes]).toEqual([2, "Name a file, or a folder with --to.\n"]);
  }
});
