import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { replaceDatabase } from "../../../../src/db/file/database-copy.ts";
import { SCHEMA_VERSION } from "../../../../src/db/schema-version.ts";
import { fakePorts } from "../../../support/fake-ports.ts";
import { createMachine, type Finished, type Machine } from "../../../support/machine.ts";

/** A database with one organization, and its backup in copy.db; created once. */
let template: Machine;
let machine: Machine;
beforeAll(async () => {
  template = createMachine();
  await template.json(["org", "create", "--name", "Acme", "--plan", "profi"]);
  await template.json(["backup", "copy.db"]);
});
beforeEach(() => {
  machine = createMachine();
  for (const name of ["kanalog.db", "copy.db"]) {
    copyFileSync(template.path(name), machine.path(name));
  }
});
afterEach(() => machine.leave());
afterAll(() => template.leave());

/** Files in the folder, except Bun's own. */
const names = (): string[] =>
  readdirSync(machine.folder)
    .filter((name) => name !== ".bun")
    .sort();
const organizations = (path = machine.database): string[] => {
  const db = new BetterSqlite3(path, { readonly: true });
  const rows = db.prepare("SELECT name FROM organizations ORDER BY id").all() as { name: string }[];
  db.close();
  return rows.map(({ name }) => name);
};
const addOrganization = (name: string) =>
  machine.json(["org", "create", "--name", name, "--plan", "profi"]);

function expectOneLine({ exitCode, out, notes }: Finished, text: string): void {
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(notes.trimEnd().split("\n")).toHaveLength(1);
  expect(notes).toContain(text);
}

test("a backup is a sound copy that only its owner can read, and leaves no other files", async () => {
  const before = names();
  const made = await machine.json(["backup", "new.db"]);
  expect(made).toEqual({
    path: "new.db",
    bytes: statSync(machine.path("new.db")).size,
    schema_version: SCHEMA_VERSION,
    secret: null,
  });
  expect(names()).toEqual([...before, "new.db"].sort());
  expect(statSync(machine.path("new.db")).mode & 0o777).toBe(0o600);
  expect(organizations(machine.path("new.db"))).toEqual(["Acme"]);
});

test("a backup refuses an existing target file and a missing database", async () => {
  machine.write("mine.txt", "precious");
  const missing = { KANALOG_DB: machine.path("missing.db") };
  const refused = await machine.run(["backup", "new.db"], { environment: missing });
  expectOneLine(refused, "There is no database");
  expect(machine.exists("missing.db")).toBe(false);
  expectOneLine(await machine.run(["backup", "mine.txt"]), "mine.txt already exists");
  expect(machine.read("mine.txt")).toBe("precious");
});

test("a backup to standard output is refused, and creates no file named -", async () => {
  const { exitCode, out, notes } = await machine.run(["backup", "-"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(notes).toBe("A backup needs a file: name one (./- for a file named -).\n");
  expect(machine.exists("-")).toBe(false);
});

test("a restore says so if there was no database before", async () => {
  const there = await machine.run(["restore", "copy.db"]);
  expect(there.notes).not.toContain("before.");
  const environment = { KANALOG_DB: machine.path("mistyped.db") };
  const { exitCode, notes } = await machine.run(["restore", "copy.db"], { environment });
  expect(exitCode).toBe(0);
  expect(notes).toContain(`There was no database ${machine.path("mistyped.db")} before.\n`);
});

test("a backup says which secret a restore needs, and never prints it", async () => {
  const secret = "a secret text of at least thirty-two characters";
  const withSetting = await machine.run(["backup", "one.db"], {
    environment: { KANALOG_SECRET: secret },
  });
  expect(withSetting.out + withSetting.notes).toContain("KANALOG_SECRET");
  expect(withSetting.out + withSetting.notes).not.toContain(secret);
  machine.write("kanalog.db.secret", secret);
  const withFile = await machine.run(["backup", "two.db"]);
  expect(withFile.notes).toContain(`${machine.database}.secret`);
  expect(withFile.out + withFile.notes).not.toContain(secret);
  expect(readFileSync(machine.path("two.db")).includes(secret)).toBe(false);
});

test("a backup with webhooks and a restore say that the secret is missing", async () => {
  const secret = machine.path("kanalog.db.secret");
  expect((await machine.run(["backup", "none.db"])).notes).toBe("");
  const db = machine.open();
  db.exec(
    "INSERT INTO webhooks (organization_id, url, secret, disabled_reason, since_sequence, created_at, updated_at) VALUES (1, 'https://a.example.com/', x'00', '', 0, 0, 0)",
  );
  db.close();
  expect((await machine.run(["backup", "some.db"])).notes).toContain(`${secret} is missing`);
  expect((await machine.run(["restore", "some.db"])).notes).toContain(`${secret} is missing`);
  machine.write("kanalog.db.secret", "a secret text of at least thirty-two characters");
  expect((await machine.run(["restore", "some.db"])).notes).not.toContain("missing");
});

test("a backup finishes while others keep committing, and contains what was committed before it", async () => {
  const { key } = await machine.customer();
  const server = await machine.serve();
  const writer = machine.open();
  writer.pragma("busy_timeout = 5000");
  let rows = 0;
  const add = writer.prepare(
    "INSERT INTO audit_log (at, person, action, target, details) VALUES (0, '', 'test', '', '{}')",
  );
  const timer = setInterval(() => {
    add.run();
    rows += 1;
  }, 1);
  try {
    await server.get("/v1/msgr/channels/", key);
    const before = rows;
    expect((await machine.runProgram(["backup", "new.db"])).exitCode).toBe(0);
    const { exitCode, out } = await machine.runProgram(["backup", "--to", "copies", "--json"]);
    expect(exitCode).toBe(0);
    expect(rows).toBeGreaterThan(before + 10);
    const other = { KANALOG_DB: machine.path("unpacked.db") };
    await machine.run(["restore", JSON.parse(out).path], { environment: other });
    for (const name of ["new.db", "unpacked.db"]) {
      const copy = new BetterSqlite3(machine.path(name), { readonly: true });
      const { n } = copy.prepare("SELECT count(*) AS n FROM audit_log").get() as { n: number };
      expect(n).toBeGreaterThanOrEqual(before);
      expect(copy.prepare("SELECT sum(used) AS n FROM usage_periods").get()).toEqual({ n: 1 });
      expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
      copy.close();
    }
  } finally {
    clearInterval(timer);
    writer.close();
  }
});

test("a restore brings back the backup, keeps the file it replaced, and the appliance serves it", async () => {
  await addOrganization("Later");
  const restored = await machine.json<{ kept_as: string }>(["restore", "copy.db"]);
  expect(restored).toEqual({
    path: machine.database,
    schema_version: SCHEMA_VERSION,
    kept_as: expect.stringMatching(/\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/),
  } as typeof restored);
  expect(organizations()).toEqual(["Acme"]);
  expect(organizations(restored.kept_as)).toEqual(["Acme", "Later"]);
  expect(statSync(machine.database).mode & 0o777).toBe(0o600);
  const server = await machine.serve();
  expect((await server.get("/readyz")).status).toBe(200);
});

test("two restores within a second each keep the file they replaced, under separate names", async () => {
  const { clock } = fakePorts();
  const suffix = ".before-restore-2026-11-20T12-00-00";
  const restore = () =>
    replaceDatabase(machine.database, machine.path("copy.db"), suffix, clock).keptAs as string;
  await addOrganization("Later");
  const first = restore();
  await addOrganization("Second");
  const second = restore();
  expect(first).toBe(machine.database + suffix);
  expect(second).toBe(`${machine.database}${suffix}-2`);
  expect(organizations(first)).toEqual(["Acme", "Later"]);
  expect(organizations(second)).toEqual(["Acme", "Second"]);
  expect(organizations()).toEqual(["Acme"]);
});

test.skipIf(process.getuid?.() !== 0)("a restore by root keeps the database's owner", async () => {
  chownSync(machine.database, 1234, 1235);
  expect((await machine.run(["restore", "copy.db"])).exitCode).toBe(0);
  const { uid, gid } = statSync(machine.database);
  expect({ uid, gid }).toEqual({ uid: 1234, gid: 1235 });
});

test.skipIf(process.getuid?.() !== 0)(
  "a database and secret created by root belong to their folder's owner",
  async () => {
    mkdirSync(machine.path("state"));
    chownSync(machine.path("state"), 65534, 65534);
    const environment = { KANALOG_DB: machine.path("state/kanalog.db") };
    await machine.run(["staff", "add", "ada@example.com"], { environment });
    const made = ["kanalog.db", "kanalog.db.secret"].map((name) =>
      statSync(machine.path(`state/${name}`)),
    );
    for (const { uid, gid } of made) expect({ uid, gid }).toEqual({ uid: 65534, gid: 65534 });
  },
);

test("a restore checkpoints the old database's WAL, and nothing of it reaches the new one", async () => {
  // As after a killed process: its last commits are only in the WAL.
  const writer = machine.open();
  writer.pragma("wal_autocheckpoint = 0");
  writer.exec("UPDATE organizations SET name = 'Renamed in the WAL'");
  const wal = readFileSync(`${machine.database}-wal`);
  const main = readFileSync(machine.database);
  writer.close();
  writeFileSync(machine.database, main);
  writeFileSync(`${machine.database}-wal`, wal);
  const { kept_as } = await machine.json<{ kept_as: string }>(["restore", "copy.db"]);
  expect(organizations(kept_as)).toEqual(["Renamed in the WAL"]);
  expect(machine.exists("kanalog.db-wal")).toBe(false);
  expect(organizations()).toEqual(["Acme"]);
});

test("a restore without a database moves a leftover WAL aside", async () => {
  const environment = { KANALOG_DB: machine.path("new/other.db") };
  machine.write("stray.db-wal", "whatever");
  const stray = { KANALOG_DB: machine.path("stray.db") };
  const restored = await machine.run(["restore", "copy.db", "--json"], { environment: stray });
  expect(JSON.parse(restored.out)).toMatchObject({ kept_as: null });
  expect(machine.exists("stray.db-wal")).toBe(false);
  expect(names().filter((name) => /^stray\.db\.before-restore-.*-wal$/.test(name))).toHaveLength(1);
  expect(organizations(machine.path("stray.db"))).toEqual(["Acme"]);
  expect((await machine.run(["restore", "copy.db"], { environment })).exitCode).toBe(0);
  expect(organizations(machine.path("new/other.db"))).toEqual(["Acme"]);
});

test("a restore through a symbolic link replaces its target, and finds the secret beside link or target", async () => {
  mkdirSync(machine.path("real"));
  copyFileSync(machine.database, machine.path("real/r.db"));
  symlinkSync("real/r.db", machine.path("s.db"));
  const environment = { KANALOG_DB: machine.path("s.db") };
  const restore = async () => {
    const restored = await machine.run(["restore", "copy.db", "--json"], { environment });
    expect(restored.exitCode).toBe(0);
    expect(lstatSync(machine.path("s.db")).isSymbolicLink()).toBe(true);
    expect(organizations(machine.path("real/r.db"))).toEqual(["Acme"]);
    return { keptAs: JSON.parse(restored.out).kept_as as string | null, notes: restored.notes };
  };
  const secretOf = async (name: string): Promise<string | null> =>
    JSON.parse((await machine.run(["backup", name, "--json"], { environment })).out).secret;
  await machine.run(["org", "create", "--name", "Later", "--plan", "profi"], { environment });
  const { keptAs, notes } = await restore();
  expect(keptAs).toStartWith(machine.path("real/r.db.before-restore-"));
  expect(organizations(keptAs as string)).toEqual(["Acme", "Later"]);
  expect(notes).toContain(`${machine.path("real/r.db.secret")} is missing`);

  const secret = "a secret text of at least thirty-two characters";
  machine.write("real/r.db.secret", secret);
  expect(await secretOf("one.db")).toBe(machine.path("real/r.db.secret"));
  machine.write("s.db.secret", secret);
  expect(await secretOf("two.db")).toBe(machine.path("s.db.secret"));

  rmSync(machine.path("real/r.db"));
  expect((await restore()).keptAs).toBeNull();
  expect(names().filter((name) => name.startsWith("s.db"))).toEqual(["s.db", "s.db.secret"]);
});

test("a restore is refused while a server runs or any other process has the file open", async () => {
  const server = await machine.serve();
  await addOrganization("Later");
  const before = names();
  expectOneLine(await machine.run(["restore", "copy.db"]), "Another process uses");
  expect(names()).toEqual(before);
  expect((await server.get("/readyz")).status).toBe(200);
  await server.stop();
  const other = machine.open();
  other.prepare("SELECT 1 FROM meta").get();
  expectOneLine(await machine.run(["restore", "copy.db"]), "Another process uses");
  other.close();
  expect(organizations()).toEqual(["Acme", "Later"]);
});

test("a restore refuses a file that is newer, damaged, another program's, not a database, missing, or the database itself", async () => {
  const edit = (name: string, sql: string): void => {
    writeFileSync(machine.path(name), readFileSync(machine.path("copy.db")));
    const db = new BetterSqlite3(machine.path(name));
    db.exec(sql);
    db.close();
  };
  edit("newer.db", "PRAGMA user_version = 199");
  edit("theirs.db", "DROP TABLE meta");
  edit("damaged.db", "SELECT 1");
  const bytes = readFileSync(machine.path("damaged.db"));
  bytes.fill(0x5a, 4096 * 20, 4096 * 24);
  writeFileSync(machine.path("damaged.db"), bytes);
  edit("cut.db", "SELECT 1");
  truncateSync(machine.path("cut.db"), bytes.length / 2);
  machine.write("text.db", "no database, but a text that is long enough\n".repeat(100));
  const before = names();
  for (const [file, expected] of [
    ["newer.db", "schema version 199"],
    ["theirs.db", "not a database of Kanalog"],
    ["damaged.db", "damaged"],
    ["cut.db", "cut.db"],
    ["text.db", "not a database"],
    ["missing.db", "There is no file missing.db"],
    ["kanalog.db", "the database itself"],
  ] as const) {
    expectOneLine(await machine.run(["restore", file]), expected);
    expect(names(), file).toEqual(before);
  }
  expect(organizations()).toEqual(["Acme"]);
});

test("a restore does not replace a database too damaged to be locked, and says what to do", async () => {
  machine.write("kanalog.db", "no database, but a text that is long enough\n".repeat(100));
  expectOneLine(await machine.run(["restore", "copy.db"]), "move the file away");
  expect(machine.read("kanalog.db")).toStartWith("no database");
});

test("a copy that does not fit on the disk leaves nothing behind, and the database stays", async () => {
  const before = names();
  // The shell limits file sizes, and SIGXFSZ is ignored, so that writing fails as on a full disk.
  const limited = (words: string, blocks = 400): Promise<Finished> => {
    const main = new URL("../../../../src/main.ts", import.meta.url).pathname;
    const child = Bun.spawn(
      [
        "sh",
        "-c",
        `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$1" ${words}`,
        process.execPath,
        main,
      ],
      {
        cwd: machine.folder,
        env: { PATH: process.env["PATH"] ?? "", KANALOG_DB: machine.database },
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    return Promise.all([child.stdout.text(), child.stderr.text(), child.exited]).then(
      ([out, notes, exitCode]) => ({ out, notes, exitCode }),
    );
  };
  for (const [words, expected] of [
    ["restore copy.db", `Cannot lock ${machine.database}: the disk is full`],
    ["org create --name Other --plan profi", `${machine.database}: the disk is full`],
  ] as const) {
    expectOneLine(await limited(words, 0), expected);
  }
  for (const words of ["backup full.db", "restore copy.db"]) {
    const finished = await limited(words);
    expectOneLine(finished, "Cannot write the copy");
    expect(names(), words).toEqual(before);
  }
  expect(organizations()).toEqual(["Acme"]);
});
