import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "../../../src/db/database.ts";
import { openExisting } from "../../../src/db/open-database.ts";
import { backUp, backupPlace } from "../../../src/upkeep/backups/backup-files.ts";
import { readBackup } from "../../../src/upkeep/backups/backup-format.ts";
import { type FakePorts, fakePorts } from "../../support/fake-ports.ts";
import { createMachine, type Machine, PROGRAM } from "../../support/machine.ts";
import { unpackBackup } from "../../support/unpack-backup.ts";
import { until } from "../../support/until.ts";

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
const packs = (): string[] =>
  readdirSync(join(folder(), "kanalog-packs")).map((name) => join(folder(), "kanalog-packs", name));
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
  unpackBackup(path, target);
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

test("each day of a month can be restored, and a day adds the pages that it changed", async () => {
  const wanted = new Map<string, string>();
  const added: number[] = [];
  for (let day = 1; day <= 30; day++) {
    addDay(day);
    const copy = await backUp(db, clock, plan(30));
    wanted.set(copy.path, contentOf(machine.database));
    added.push(copy.addedBytes);
    clock.advance(DAY_MS);
  }
  for (const [path, content] of wanted) expect(restored(basename(path))).toBe(content);
  // A day has 0.2 MB of texts.
  expect(Math.max(...added.slice(1))).toBeLessThan(270_000);
  const files = [...packs(), ...wanted.keys()];
  expect(bytesOf(files)).toBe(added.reduce((sum, bytes) => sum + bytes, 0));
}, 60_000);

test("rows changed all over the file for months cost their pages, and packs of which little is needed go", async () => {
  addDay(1);
  const client = machine.open();
  const text = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)));
  client.exec("CREATE TABLE spread (id INTEGER PRIMARY KEY, text BLOB)");
  const add = client.prepare("INSERT INTO spread (text) VALUES (?)");
  client.transaction(() => {
    for (let at = 0; at < 2000; at++) add.run(text(3000));
  })();
  const change = client.prepare("UPDATE spread SET text = ? WHERE id = ?");
  const added: number[] = [];
  for (let day = 1; day <= 40; day++) {
    for (let at = 0; at < 20; at++) change.run(text(3000), 1 + (((day * 20 + at) * 397) % 2000));
    const { addedBytes } = await backUp(db, clock, plan(3));
    added.push(addedBytes);
    clock.advance(DAY_MS);
  }
  const wanted = contentOf(machine.database);
  client.close();
  expect(restored(backups().sort().at(-1) ?? "")).toBe(wanted);
  // 60 KB of changes, and what is left of packs that have been half replaced.
  const [first = 0, second = 0] = added;
  expect(second).toBeLessThan(100_000);
  expect(added.slice(1).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(4 * 40 * 60_000);
  expect(bytesOf(packs())).toBeLessThan(2.5 * first);
  expect(packs().length).toBeLessThan(64 + 4);
}, 120_000);

test("backups that all add something to keep have at most 64 packs", async () => {
  const client = machine.open();
  client.exec("CREATE TABLE added (text BLOB)");
  const add = client.prepare("INSERT INTO added VALUES (randomblob(3000))");
  for (let at = 0; at < 70; at++) {
    for (let row = 0; row < 40; row++) add.run();
    await backUp(db, clock, plan(2));
    clock.advance(DAY_MS);
  }
  const [newest = ""] = backups().sort().reverse();
  expect(restored(newest)).toBe(contentOf(machine.database));
  client.close();
  expect(readBackup(join(folder(), newest))?.packs.length).toBe(64);
}, 60_000);

test("a backup that is removed takes along what only it needed, a day after it was last needed", async () => {
  const names = new Set<string>();
  for (let day = 1; day <= 6; day++) {
    addDay(day);
    await backUp(db, clock, plan(2));
    for (const name of packs()) names.add(name);
    const client = machine.open();
    client.prepare("DELETE FROM texts").run();
    client.close();
    clock.advance(DAY_MS);
  }
  expect(backups()).toHaveLength(2);
  expect(packs().length).toBeLessThan(names.size);
  for (const name of backups()) expect(restored(name)).toContain("Acme on day");
});

test("packs stay while a backup of the folder cannot be read", async () => {
  addDay(1);
  await backUp(db, clock, plan(1));
  const before = packs();
  const unreadable = join(folder(), "of-another.backup");
  for (const make of [
    ...["cut", '{"format":"kanalog-backup-2"', '{"format":"kanalog-backup-9"}\n[]\n'].map(
      (text) => () => writeFileSync(unreadable, text),
    ),
    () => mkdirSync(unreadable),
  ]) {
    make();
    clock.advance(3 * DAY_MS);
    addDay(2);
    await backUp(db, clock, plan(1));
    expect(packs()).toEqual(expect.arrayContaining(before));
    rmSync(unreadable, { recursive: true });
  }
});

test("a backup that is killed, or finds the disk full, leaves the earlier ones whole", async () => {
  for (let day = 1; day <= 20; day++) addDay(day);
  const { path } = await backUp(db, clock, plan(9));
  const wanted = contentOf(machine.database);
  const inFolder = (pattern: string) =>
    [...new Bun.Glob(pattern).scanSync({ cwd: folder(), dot: true })].length;
  // While it copies the database, while it stores pages, and once the pack is in its place.
  for (const [pattern, count] of [
    [".kanalog-copy-*/copy", 1],
    [".kanalog-copy-*/copy.pack", 1],
    ["kanalog-packs/*", 2],
  ] as const) {
    addDay(30);
    const before = inFolder(pattern);
    const backing = machine.spawn(["backup", "--to", "copies"]);
    let hasEnded = false;
    void backing.exited.then(() => {
      hasEnded = true;
    });
    await until(() => hasEnded || inFolder(pattern) >= Math.max(count, before + 1), pattern);
    backing.kill("SIGKILL");
    await backing.exited;
    expect(restored(basename(path))).toBe(wanted);
  }
  // The last one may be complete, and a file is named by its second.
  const killedAtS = Math.floor(Date.now() / 1000);
  await until(() => Date.now() >= (killedAtS + 1) * 1000, "the next second");
  const limited = `trap '' XFSZ; ulimit -f 400; exec ${PROGRAM.join(" ")} backup --to copies`;
  const full = Bun.spawn(["sh", "-c", limited], {
    cwd: machine.folder,
    env: { PATH: process.env["PATH"] ?? "", KANALOG_DB: machine.database },
    stderr: "pipe",
  });
  expect(await full.stderr.text()).toContain("Cannot write the copy");
  for (const name of backups()) expect(restored(name)).toContain("Acme on day");
  expect(restored(basename(path))).toBe(wanted);
  const { path: next } = await machine.json<{ path: string }>(["backup", "--to", "copies"]);
  expect(restored(basename(next))).toBe(contentOf(machine.database));
}, 60_000);

test("two backups begun at once are both complete, whichever removes old ones", async () => {
  const other = openExisting(machine.database, clock);
  for (let day = 1; day <= 4; day++) {
    addDay(day);
    clock.advance(1.5 * DAY_MS);
    const second = fakePorts().clock;
    second.set(new Date(clock.now() + 1000).toISOString());
    const copies = await Promise.all([backUp(db, clock, plan(2)), backUp(other, second, plan(2))]);
    const content = contentOf(machine.database);
    for (const { path } of copies) expect(restored(basename(path))).toBe(content);
  }
  other.close();
});

test("a backup to a folder is restored; a damaged or missing pack is named, and changes nothing", async () => {
  const made = await machine.json<{ path: string; bytes: number; added_bytes: number }>([
    ...["backup", "--to", "copies"],
  ]);
  expect(made.bytes).toBeGreaterThan(made.added_bytes);
  expect(made.bytes).toBe(statSync(machine.database).size);
  await machine.json(["org", "create", "--name", "Later", "--plan", "profi"]);
  db.close();
  const later = contentOf(machine.database);
  const copy = machine.path(made.path);
  const refuses = async (file: string, damages: (Uint8Array | null)[]): Promise<void> => {
    const content = await Bun.file(file).bytes();
    for (const damaged of damages) {
      rmSync(file);
      if (damaged !== null) writeFileSync(file, damaged);
      const refused = await machine.run(["restore", made.path]);
      expect(refused.exitCode).toBe(1);
      expect(refused.notes).toContain(basename(file));
      expect(contentOf(machine.database)).toBe(later);
      writeFileSync(file, content);
    }
  };
  const [pack = ""] = packs();
  await refuses(pack, [...(await damagesOf(pack)), null]);
  await refuses(copy, await damagesOf(copy));
  await machine.json(["restore", made.path]);
  expect(contentOf(machine.database)).not.toContain("Later");
  expect(contentOf(machine.database)).toContain("Acme");
});

/** A file cut, another one in its place, and with changes from its beginning to its end. */
async function damagesOf(path: string): Promise<Uint8Array[]> {
  const content = await Bun.file(path).bytes();
  const changedAt = (share: number): Uint8Array => {
    const at = Math.floor(share * (content.length - 1));
    return content.map((byte, index) => (index === at ? byte ^ 0x55 : byte));
  };
  const text = new TextEncoder().encode("another file, of something else");
  return [content.slice(0, -1), content.slice(0, 150), text, ...[0.4, 0.6, 1].map(changedAt)];
}

test("after a damaged backup all pages are stored again, and the backup says so", async () => {
  addDay(1);
  const { path } = await backUp(db, clock, plan(9));
  const [pack = ""] = packs();
  const content = readFileSync(pack);
  const rotten = Buffer.from(content);
  rotten.writeUInt8((content.at(-9) ?? 0) ^ 1, content.length - 9);
  for (const damage of [
    () => writeFileSync(pack, rotten),
    () => writeFileSync(pack, "cut"),
    () => rmSync(pack),
    // Another error than that of a missing file, as for a pack of another user.
    () => symlinkSync(pack, pack),
  ]) {
    damage();
    addDay(2);
    clock.advance(DAY_MS);
    await expect(backUp(db, clock, plan(9))).rejects.toMatchObject({
      code: "conflict",
      detail: expect.stringContaining(basename(pack)),
    });
    const newest = backups().sort().at(-1) ?? "";
    expect(restored(newest)).toBe(contentOf(machine.database));
    rmSync(join(folder(), newest));
  }
  expect(() => restored(basename(path))).toThrow("damaged");
  expect((await machine.run(["backup", "--to", "copies"])).notes).toContain(basename(pack));
});

test("rot in any of the packs is found within as many days, though nobody restores", async () => {
  for (let day = 1; day <= 3; day++) {
    addDay(day);
    clock.advance(DAY_MS);
    await backUp(db, clock, plan(9));
  }
  expect(packs()).toHaveLength(3);
  for (const pack of packs()) {
    const sound = readFileSync(pack);
    writeFileSync(pack, Buffer.from(sound).fill(0, sound.length - 9));
    const outcomes: string[] = [];
    for (let day = 1; day <= 3; day++) {
      clock.advance(DAY_MS);
      const outcome = await backUp(db, clock, plan(9)).then(
        () => "",
        (error) => error.detail,
      );
      outcomes.push(outcome);
      rmSync(join(folder(), backups().sort().at(-1) ?? ""));
    }
    expect(outcomes.filter((detail) => detail.includes(basename(pack)))).toHaveLength(1);
    writeFileSync(pack, sound);
  }
});

test("beside a backup that cannot be read, all pages are stored, and the backup says so", async () => {
  const { path } = await backUp(db, clock, plan(9));
  rmSync(path);
  mkdirSync(path);
  clock.advance(DAY_MS);
  await expect(backUp(db, clock, plan(9))).rejects.toMatchObject({
    code: "conflict",
    detail: expect.stringContaining(basename(path)),
  });
  expect(restored(backups().sort().at(-1) ?? "")).toBe(contentOf(machine.database));
});

test.skipIf(process.getuid?.() !== 0)(
  "a backup by root belongs to the folder's owner",
  async () => {
    mkdirSync(folder());
    chownSync(folder(), 1234, 1235);
    const { path } = await machine.json<{ path: string }>(["backup", "--to", "copies"]);
    for (const made of [machine.path(path), join(folder(), "kanalog-packs"), ...packs()]) {
      const { uid, gid } = statSync(made);
      expect([uid, gid]).toEqual([1234, 1235]);
    }
  },
);

test("a backup in another format is refused", async () => {
  machine.write("old.backup", '{"format":"kanalog-backup-1","bytes":4096,"schemaVersion":1}');
  expect((await machine.run(["restore", "old.backup"])).notes).toContain(
    "another version wrote it",
  );
});

test("a backup needs a file or a folder, and not both", async () => {
  for (const words of [[], ["copy.db", "--to", "copies"]]) {
    const { exitCode, notes } = await machine.run(["backup", ...words]);
    expect([exitCode, notes]).toEqual([2, "Name a file, or a folder with --to.\n"]);
  }
});
