import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";

/** The real process on a real file that has a fault: its answers during the fault and afterwards. */

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const CHANNELS = 60;

/** Imports so many posts that each channel's are on pages of their own. */
async function importData(): Promise<void> {
  const channels = Array.from({ length: CHANNELS }, (_, index) => ({
    id: index + 1,
    title: `Channel ${index + 1}`,
    subscribers: 1000 - index,
  }));
  const posts = channels.map(({ id }) => ({
    ...{ id, channel: id, published_at: "2026-11-01T12:00:00Z" },
    text: `marker-${id}-${"x".repeat(3500)}`,
  }));
  const lines = (rows: object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
  machine.write("channels.ndjson", lines(channels));
  machine.write("posts.ndjson", lines(posts));
  await machine.json(["import", "channels", "channels.ndjson"]);
  await machine.json(["import", "posts", "posts.ndjson"]);
}

const BILLED = "/v1/msgr/channels/1/";
const FREE = ["/v1/me/", "/v1/msgr/categories/", "/healthz", "/docs/json"];

async function expectFreeReads(server: Serving, key: string): Promise<void> {
  for (const path of FREE) expect((await server.get(path, key)).status, path).toBe(200);
}

async function expectUnavailable(server: Serving, key: string, path = BILLED): Promise<void> {
  const answer = await server.get(path, key);
  expect({ path, status: answer.status }).toEqual({ path, status: 503 });
  expect(((await answer.json()) as { code: string }).code).toBe("unavailable");
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

/** Number of billed requests that were answered. */
const used = (): number =>
  machine.query<{ n: number }>("SELECT coalesce(sum(used), 0) AS n FROM usage_periods")[0]?.n ?? -1;

async function expectSound(): Promise<void> {
  const { out, exitCode } = await machine.run(["check"]);
  expect({ exitCode, faults: out.match(/^fault.*$/gm) }).toEqual({ exitCode: 0, faults: null });
}

/** Limits the size of a process's files: if none may grow, it is as on a full disk. */
function limitFiles(pid: number, size: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", String(pid), `--fsize=${size}:`]);
  expect(exitCode, stderr.toString()).toBe(0);
}

test.skipIf(Bun.which("prlimit") === null)(
  "with a full disk free reads continue, billed ones get a 503, and it recovers by itself",
  async () => {
    const { key } = await machine.customer();
    await importData();
    const server = await machine.serve();
    expect((await server.get(BILLED, key)).status).toBe(200);
    limitFiles(server.pid, "1");
    for (let calls = 0; calls < 3; calls += 1) await expectUnavailable(server, key);
    await expectFreeReads(server, key);
    limitFiles(server.pid, "unlimited");
    expect((await server.get(BILLED, key)).status).toBe(200);
    expect(used()).toBe(2);
    expect(await server.stop()).toBe(0);
    await expectSound();
  },
);

/** How long the lock is held: longer than a billed request waits; the long form holds it for a minute. */
const LOCK_MS = Number(process.env["KANALOG_TEST_LOCK_S"] ?? 4) * 1000;

test(
  "with a database locked by another process free reads continue, and billed ones get a 503 in time",
  async () => {
    const { key } = await machine.customer();
    const server = await machine.serve();
    await importData();
    expect((await server.get(BILLED, key)).status).toBe(200);
    const other = machine.open();
    other.exec("BEGIN IMMEDIATE");
    const startedAtMs = performance.now();
    const waiting = Array.from({ length: 5 }, () => expectUnavailable(server, key));
    while (performance.now() - startedAtMs < LOCK_MS) {
      // Answered while the lock is held, because it is released below.
      await expectFreeReads(server, key);
      await Bun.sleep(100);
    }
    await Promise.all(waiting);
    other.exec("ROLLBACK");
    other.close();
    expect((await server.get(BILLED, key)).status).toBe(200);
    expect(used()).toBe(2);
    expect(await server.stop()).toBe(0);
    await expectSound();
  },
  LOCK_MS + 300_000,
);

test("with a corrupted page what is on it gets a 503 and costs nothing, and everything else continues", async () => {
  const { key } = await machine.customer();
  await importData();
  await machine.json(["backup", "copy.db"]);
  const bytes = readFileSync(machine.database);
  const at = bytes.indexOf("marker-30-");
  bytes.fill(0x5a, at - (at % 4096), at - (at % 4096) + 4096);
  writeFileSync(machine.database, bytes);

  const server = await machine.serve();
  await expectUnavailable(server, key, "/v1/msgr/channels/30/posts/");
  await expectFreeReads(server, key);
  expect((await server.get("/v1/msgr/channels/1/posts/", key)).status).toBe(200);
  expect((await server.get("/v1/msgr/channels/30/", key)).status).toBe(200);
  expect(used()).toBe(2);
  const refused = await machine.run(["backup", "second.db"]);
  expect(refused.exitCode).toBe(1);
  expect(machine.exists("second.db")).toBe(false);
  const checked = await machine.run(["check"]);
  expect(checked.exitCode).toBe(1);
  expect(checked.out).toContain("fault  file:");
  expect(await server.stop()).toBe(0);

  await machine.json(["restore", "copy.db"]);
  await expectSound();
});

test("after a kill, a lost WAL index loses nothing, and a lost WAL only what it contained", async () => {
  const { key } = await machine.customer();
  await importData();
  await (await machine.serve()).stop();
  for (const [gone, kept] of [
    [["-shm"], 1],
    [["-wal", "-shm"], 1],
  ] as const) {
    const server = await machine.serve();
    expect((await server.get(BILLED, key)).status).toBe(200);
    process.kill(server.pid, "SIGKILL");
    for (const end of gone) rmSync(machine.database + end, { force: true });
    const next = await machine.serve();
    expect(used()).toBe(kept);
    expect((await next.get("/v1/me/", key)).status).toBe(200);
    expect(await next.stop()).toBe(0);
    await expectSound();
  }
});

const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;

const COMMANDS = [["serve"], ["check"], ["export", "channels"]];

/** Expects each command to refuse the file in one line. @param as beginning of the command line */
async function expectRefused(
  as: readonly string[],
  reason: string,
  commands: readonly string[][] = COMMANDS,
): Promise<void> {
  for (const words of commands) {
    const child = Bun.spawn([...as, process.execPath, MAIN, ...words], {
      cwd: machine.folder,
      env: { PATH: process.env["PATH"] ?? "", KANALOG_DB: machine.database, KANALOG_PORT: "0" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, notes] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(await child.exited).toBe(1);
    const [line, ...more] = (out + notes).trimEnd().split("\n");
    expect(more, words[0]).toEqual([]);
    expect(line).toContain(machine.database);
    expect(line).toContain(reason);
  }
}

const isRoot = process.getuid?.() === 0;

test.skipIf(isRoot && Bun.which("setpriv") === null)(
  "every command refuses a file without write permission in one line, and leaves it unchanged",
  async () => {
    await machine.json(["plan", "list"]);
    const before = readFileSync(machine.database);
    chmodSync(machine.database, 0o444);
    chmodSync(machine.folder, 0o555);
    // Root may write whatever the permissions are.
    const as = isRoot ? ["setpriv", "--reuid=65534", "--clear-groups"] : [];
    if (isRoot) chownSync(machine.database, 65534, 65534);
    await expectRefused(as, "(chmod)");
    expect(readFileSync(machine.database).equals(before)).toBe(true);
    chmodSync(machine.folder, 0o755);
    chmodSync(machine.database, 0o644);
    expect((await machine.run(["plan", "list"])).exitCode).toBe(0);
  },
);

/** Beginning of a command line that sees a folder as a volume mounted read-only. */
const readOnly = (folder: string): string[] => {
  const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, folder];
};
const canMount =
  Bun.which("unshare") !== null && Bun.spawnSync([...readOnly(tmpdir()), "true"]).exitCode === 0;

test.skipIf(!canMount)(
  "a read-only volume is reported as one, without blaming permissions",
  async () => {
    await machine.json(["plan", "list"]);
    const reason = "is on a volume that is mounted read-only";
    await expectRefused(readOnly(machine.folder), reason);
    // A failing disk is remounted read-only under the process. Its -shm stays, and SQLite then opens the
    // file.
    process.kill((await machine.serve()).pid, "SIGKILL");
    expect(machine.exists("kanalog.db-shm")).toBe(true);
    await expectRefused(readOnly(machine.folder), reason, [["serve"]]);
    expect((await machine.run(["plan", "list"])).exitCode).toBe(0);
  },
);

test("every command, and a restore, explain why a path cannot be a database", async () => {
  await machine.json(["plan", "list"]);
  await machine.json(["backup", "copy.db"]);
  const deep = `${"folder".repeat(20)}/`.repeat(5);
  mkdirSync(machine.path(deep), { recursive: true });
  mkdirSync(machine.path("folder"));
  for (const [name, line] of [
    ["folder", `it is a folder: name a file, such as ${machine.path("folder/kanalog.db")}`],
    ["x".repeat(250), "its name is too long with 250 bytes"],
    [`${deep}kanalog.db`, "its path is too long with"],
  ] as const) {
    const environment = { KANALOG_DB: machine.path(name) };
    const tried = [["org", "list"]];
    if (name === "folder") {
      tried.push(["check"], ["export", "channels"], ["backup", "b.db"], ["restore", "copy.db"]);
    }
    for (const words of tried) {
      const { exitCode, out, notes } = await machine.run(words, { environment });
      expect(exitCode, words.join(" ")).toBe(1);
      expect(out + notes, words.join(" ")).toContain(line);
      expect((out + notes).trimEnd().split("\n")).toHaveLength(1);
    }
  }
});
