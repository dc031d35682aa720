import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import {
  hostPlatform,
  PLATFORM_NAMES,
  PLATFORMS,
  type PlatformName,
} from "../../src/packaging/executable.ts";
import { until } from "../support/until.ts";

/** All files of a release; executables of other platforms run here as far as an emulator is installed. */
const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "kanalog-release-"));
const release = join(folder, "release");
const executable = (name: PlatformName): string =>
  join(release, `kanalog-${version}-${name}${name.startsWith("windows") ? ".exe" : ""}`);

beforeAll(() => {
  const command = [process.execPath, "src/packaging/release.ts", release];
  const released = Bun.spawnSync(command, { cwd: ROOT, stdout: "inherit" });
  expect(released.stderr.toString()).toBe("");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the checksums are those of all its files", () => {
  const checked = Bun.spawnSync(["sha256sum", "--check", "--quiet", "SHA256SUMS"], {
    cwd: release,
  });
  expect([checked.exitCode, checked.stdout.toString()]).toEqual([0, ""]);
});

/** Machine in the header: of ELF at 18, of Mach-O at 4, of PE behind the offset at 60. */
const MACHINES: Record<PlatformName, [magic: string, machine: number]> = {
  "linux-x64": ["7f454c46", 62],
  "linux-arm64": ["7f454c46", 183],
  "linux-x64-musl": ["7f454c46", 62],
  "linux-arm64-musl": ["7f454c46", 183],
  "darwin-x64": ["cffaedfe", 0x0100_0007],
  "darwin-arm64": ["cffaedfe", 0x0100_000c],
  "windows-x64": ["4d5a", 0x8664],
};

test.each(PLATFORM_NAMES)("%s: its header names the platform, and its driver is inside", (name) => {
  const path = executable(name);
  const head = Buffer.alloc(4096);
  const file = openSync(path, "r");
  readSync(file, head);
  closeSync(file);
  const [magic, machine] = MACHINES[name];
  expect(head.toString("hex")).toStartWith(magic);
  const found = { "7f": () => head.readUInt16LE(18), cf: () => head.readUInt32LE(4) };
  const ofPe = () => head.readUInt16LE(head.readUInt32LE(60) + 4);
  expect((found[magic.slice(0, 2) as "7f"] ?? ofPe)()).toBe(machine);
  if (magic === "7f454c46") expect(head.includes("ld-musl")).toBe(name.endsWith("musl"));
  const { addon } = PLATFORMS[name];
  const driver = readFileSync(join(ROOT, `node_modules/better-sqlite3/prebuilds/${addon}.node`));
  expect(readFileSync(path).includes(driver)).toBe(true);
});

/** Words that run another platform's program here; null if this machine cannot. */
function runnerOf(name: PlatformName): string[] | null {
  if (name === hostPlatform()) return [];
  const libraries = "/usr/aarch64-linux-gnu";
  const emulator = Bun.which("qemu-aarch64-static") ?? Bun.which("qemu-aarch64");
  const hasLibraries = Bun.file(`${libraries}/lib/libstdc++.so.6`).size > 0;
  if (name !== "linux-arm64" || emulator === null || !hasLibraries) return null;
  return [emulator, "-L", libraries];
}

for (const name of PLATFORM_NAMES) {
  const runner = runnerOf(name);
  test.skipIf(runner === null)(`${name}: it starts, answers a call, and stops`, async () => {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const child = Bun.spawn([...(runner ?? []), executable(name), "start", "--port", "0"], {
      cwd,
      env: {},
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    let printed = "";
    void (async () => {
      for await (const chunk of child.stdout) printed += Buffer.from(chunk).toString();
    })();
    await until(
      () => printed.includes("curl") || child.exitCode !== null,
      () => printed,
    );
    const [, key = "", url = ""] = /Bearer (\S+)" "(\S+)"/.exec(printed) ?? [];
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(await answer.json()).toMatchObject({ results: [{}, {}] });
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });
}
