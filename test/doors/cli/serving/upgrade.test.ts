import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../../package.json";
import { hostPlatform } from "../../../../src/packaging/executable.ts";
import { createMachine, type Machine } from "../../../support/machine.ts";
import { until } from "../../../support/until.ts";

/** A real executable replaces itself by a release: here a script, which says its version too. */
const ROOT = join(import.meta.dir, "../../../..");
const TLS = join(import.meta.dir, "../../../support/tls");
const built = mkdtempSync(join(tmpdir(), "kanalog-upgrade-test-"));
const NAME = `kanalog-9.9.9-${hostPlatform()}`;
const NEW = "#!/bin/sh\necho 9.9.9\n";
let machine: Machine;
let releases = "";
let executable = "";

beforeAll(() => {
  const build = ["src/packaging/build.ts", "--outdir", built];
  expect(Bun.spawnSync([process.execPath, ...build], { cwd: ROOT }).exitCode).toBe(0);
});
afterAll(() => rmSync(built, { recursive: true }));

beforeEach(async () => {
  machine = createMachine();
  releases = machine.path("releases");
  mkdirSync(releases);
  mkdirSync(machine.path("bin"));
  executable = machine.path("bin/kanalog");
  copyFileSync(join(built, `kanalog-${hostPlatform()}`), executable);
  chmodSync(executable, 0o755);
  offer(NEW);
  expect((await machine.run(["plan", "list"])).exitCode).toBe(0);
});
afterEach(() => machine.leave());

/** Puts a release with its checksum, or another's, into the folder of releases. */
function offer(content: string, of = content, name = NAME): void {
  writeFileSync(join(releases, name), content);
  const sum = new Bun.SHA256().update(of).digest("hex");
  writeFileSync(join(releases, "SHA256SUMS"), `${sum}  ${name}\n${sum}  kanalog-9.9.9.tgz\n`);
}

const run = (...words: string[]) => machine.runProgram(words, { program: [executable] });
const upgrade = (...more: string[]) => run("upgrade", "--from", releases, ...more);

/** What the machine has: the running version, and the files beside executable and database. */
async function state(): Promise<object> {
  return {
    version: (await run("--version")).out,
    bin: readdirSync(machine.path("bin")),
    copies: readdirSync(machine.folder).filter((name) => name.includes("before-upgrade")),
  };
}

async function expectUnchanged(fault: string, ran: ReturnType<typeof run>): Promise<void> {
  const { exitCode, notes } = await ran;
  expect(notes).toContain(`Not upgraded, nothing was changed: `);
  expect(notes).toContain(fault);
  expect(exitCode).toBe(1);
  expect(await state()).toEqual({ version: `${version}\n`, bin: ["kanalog"], copies: [] });
  expect((await run("plan", "list")).exitCode).toBe(0);
}

test("it needs to be told from where, and looks nowhere else", async () => {
  const { exitCode, notes } = await run("upgrade");
  expect(exitCode).toBe(2);
  expect(notes).toContain("--from");
});

test("--check says whether there is a newer one, and changes nothing", async () => {
  const newer = await upgrade("--check", "--json");
  expect(JSON.parse(newer.out)).toEqual({ version, newest: "9.9.9", newer: true });
  offer(NEW, NEW, `kanalog-${version}-${hostPlatform()}`);
  for (const words of [["--check"], []]) {
    const same = await upgrade(...words, "--json");
    expect(JSON.parse(same.out)).toEqual({ version, newest: version, newer: false });
  }
  expect(await state()).toEqual({ version: `${version}\n`, bin: ["kanalog"], copies: [] });
});

test("a release is put in place after its checksum, a trial and a backup; the previous one stays for the way back", async () => {
  const { exitCode, out } = await upgrade("--json");
  expect(exitCode).toBe(0);
  const { backup, previous } = JSON.parse(out);
  expect(readFileSync(executable, "utf8")).toBe(NEW);
  expect(await state()).toMatchObject({ version: "9.9.9\n", bin: ["kanalog", "kanalog.previous"] });
  const back = await machine.runProgram(["restore", backup, "--json"], { program: [previous] });
  expect(JSON.parse(back.out)).toMatchObject({ path: machine.database });
});

test("a wrong checksum, another platform's release, or one that does not run changes nothing", async () => {
  offer(NEW, "something else");
  await expectUnchanged("has the checksum", upgrade());
  offer("#!/bin/sh\necho 9.9.8\n");
  await expectUnchanged("is not version 9.9.9", upgrade());
  offer(NEW, NEW, "kanalog-9.9.9-solaris-sparc");
  await expectUnchanged("has no executable for this machine", upgrade());
  rmSync(join(releases, "SHA256SUMS"));
  await expectUnchanged("SHA256SUMS", upgrade());
});

test("without a database to copy, nothing is changed", async () => {
  const environment = { KANALOG_DB: machine.path("missing.db") };
  const program = [executable];
  const words = ["upgrade", "--from", releases];
  await expectUnchanged("missing.db", machine.runProgram(words, { program, environment }));
});

const ofRoot = test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux");

/** A volume that has so much room, for the time of the work. */
async function onVolume(place: string, bytes: number, work: () => Promise<void>): Promise<void> {
  mkdirSync(place, { recursive: true });
  const mount = ["mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", place];
  expect(Bun.spawnSync(mount).exitCode).toBe(0);
  try {
    await work();
  } finally {
    Bun.spawnSync(["umount", place]);
  }
}

ofRoot("a disk that is too full for the release changes nothing", async () => {
  offer(`${NEW}#${"x".repeat(3_000_000)}\n`);
  const file = readFileSync(executable);
  await onVolume(machine.path("bin"), file.byteLength + 1_000_000, async () => {
    writeFileSync(executable, file, { mode: 0o755 });
    await expectUnchanged("ENOSPC", upgrade());
  });
});

ofRoot("a disk that is too full for the database's copy changes nothing", async () => {
  const small = machine.path("small");
  const file = readFileSync(machine.database);
  await onVolume(small, 1.5 * file.byteLength, async () => {
    const environment = { KANALOG_DB: join(small, "kanalog.db") };
    writeFileSync(environment.KANALOG_DB, file);
    const program = [executable];
    const words = ["upgrade", "--from", releases];
    await expectUnchanged("full", machine.runProgram(words, { program, environment }));
    expect(readdirSync(small).filter((name) => name.includes("before-upgrade"))).toEqual([]);
  });
});

test("over https it takes a release, and killed half-way it changes nothing", async () => {
  const pem = Bun.file(join(TLS, "receiver.pem"));
  const asked: string[] = [];
  let isSlow = true;
  const server = Bun.serve({
    port: 0,
    tls: { key: pem, cert: pem },
    fetch(request) {
      const name = new URL(request.url).pathname.slice(1);
      asked.push(name);
      if (name === "SHA256SUMS" || !isSlow) return new Response(Bun.file(join(releases, name)));
      // Half of it, and then nothing.
      const half = new ReadableStream({ start: (to) => to.enqueue(Buffer.from("#!/bin/sh\n")) });
      return new Response(half);
    },
  });
  try {
    const from = `https://localhost:${server.port}/`;
    const environment = { NODE_EXTRA_CA_CERTS: join(TLS, "ca.pem") };
    const words = ["upgrade", "--from", from];
    const killed = machine.spawn(words, { program: [executable], environment });
    await until(() => asked.includes(NAME));
    killed.kill("SIGKILL");
    await killed.exited;
    expect((await run("--version")).out).toBe(`${version}\n`);
    isSlow = false;
    const done = await machine.runProgram(words, { program: [executable], environment });
    expect([done.exitCode, done.notes]).toEqual([0, expect.stringContaining("Restart")]);
    expect((await run("--version")).out).toBe("9.9.9\n");
  } finally {
    await server.stop(true);
  }
});
