import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";

/** The npm package as strangers install it: from the tarball, with Bun from the registry. */
const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "kanalog-install-"));
const tarball = join(folder, `kanalog-${version}.tgz`);
const npm = Bun.which("npm");
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

beforeAll(() => {
  chownSync(folder, NOBODY, NOBODY);
  const packed = Bun.spawnSync([process.execPath, "src/packaging/pack.ts", folder], { cwd: ROOT });
  expect(packed.exitCode).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with nothing but these programs, for PATH. */
function onlyPrograms(...names: string[]): string {
  const path = mkdtempSync(join(folder, "bin-"));
  chmodSync(path, 0o755);
  for (const name of names) symlinkSync(realpathSync(Bun.which(name) ?? ""), join(path, name));
  return path;
}

/** A new folder, and how to run a command there. */
function newPlace(name: string, PATH: string, before: string[] = [], more = {}) {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  if (isRoot) chownSync(cwd, NOBODY, NOBODY);
  const env = { PATH, HOME: cwd, ...more };
  return (...words: string[]): string => {
    const ran = Bun.spawnSync([...before, ...words], { cwd, env, stdin: "ignore" });
    expect(ran.exitCode, ran.stderr.toString()).toBe(0);
    return ran.stdout.toString();
  };
}

const unlessNpm = test.skipIf(npm === null);

unlessNpm("with Node.js only, in a folder with spaces, then without any network", () => {
  const PATH = onlyPrograms("node", "npm", "npx", "sh");
  const run = newPlace("an empty folder", PATH);
  const beganAt = performance.now();
  run("npm", "install", tarball);
  expect(run("npx", "kanalog", "--version")).toBe(`${version}\n`);
  console.warn(`Installed and answered in ${Math.round(performance.now() - beganAt)} ms.`);
  const offline = { npm_config_registry: "http://127.0.0.1:9" };
  const env = { PATH, HOME: join(folder, "an empty folder"), ...offline };
  const cwd = env.HOME;
  const apart = isRoot ? ["unshare", "-n"] : [];
  const command = [...apart, "npx", "kanalog", "mcp", "--sample"];
  const stdin = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  const spawned = Bun.spawnSync(command, { cwd, env: { ...env, PATH: `${PATH}:/usr/bin` }, stdin });
  expect(JSON.parse(spawned.stdout.toString()).result.tools.length).toBeGreaterThan(5);
});

unlessNpm("by a user without a home", () => {
  const before = isRoot ? ["setpriv", `--reuid=${NOBODY}`, "--clear-groups"] : [];
  const PATH = `${onlyPrograms("node", "npm", "npx", "sh")}:/usr/bin:/bin`;
  // npm itself needs a folder for what it downloads.
  const npmCache = { HOME: "/nonexistent", npm_config_cache: join(folder, "homeless/cache") };
  const run = newPlace("homeless", PATH, before, npmCache);
  run("npm", "install", tarball);
  expect(run("npx", "kanalog", "--version")).toBe(`${version}\n`);
  run("npx", "kanalog", "plan", "list");
});

test("with Bun only", () => {
  const bin = mkdtempSync(join(folder, "bin-"));
  for (const name of ["bun", "bunx"]) symlinkSync(realpathSync(process.execPath), join(bin, name));
  const run = newPlace("bun only", bin);
  run("bun", "add", tarball);
  expect(run("bunx", "kanalog", "--version")).toBe(`${version}\n`);
});
