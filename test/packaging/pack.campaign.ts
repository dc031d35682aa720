import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json";
import { PLATFORMS } from "../../src/packaging/executable.ts";
import { clientKinds } from "../support/mcp-clients.ts";
import { TOOL_NAMES } from "../support/mcp-requests.ts";
import { until } from "../support/until.ts";

/**
 * The npm package as `npm install` leaves it in a folder with spaces, but beside the `bun` of a project
 * instead of its own. `install.campaign.ts` installs it really.
 */
const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "kanalog pack "));
const content = join(folder, "node_modules/kanalog");
/** The package's command runs on Node.js if there is one, and otherwise on Bun. */
const LAUNCHER = [Bun.which("node") ?? process.execPath, join(content, "kanalog.mjs")] as const;
const empty = { cwd: folder, env: {} };
let tarball = "";
let server: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined;

beforeAll(() => {
  const packed = Bun.spawnSync([process.execPath, "src/packaging/pack.ts", folder], { cwd: ROOT });
  expect(packed.stderr.toString()).toBe("");
  tarball = join(folder, `kanalog-${manifest.version}.tgz`);
  mkdirSync(content, { recursive: true });
  const unpack = ["tar", "xzf", tarball, "-C", content, "--strip-components=1"];
  expect(Bun.spawnSync(unpack).exitCode).toBe(0);
  symlinkSync(join(ROOT, "node_modules/bun"), join(folder, "node_modules/bun"));
});

afterAll(async () => {
  server?.kill("SIGKILL");
  await server?.exited;
  rmSync(folder, { recursive: true });
});

test("it is small, has licence and README with what it links to, and installs nothing but the pinned Bun", () => {
  expect(Bun.file(tarball).size).toBeLessThan(15_000_000);
  const { bin, dependencies, optionalDependencies, scripts, version } = JSON.parse(
    readFileSync(join(content, "package.json"), "utf8"),
  );
  expect({ bin, dependencies, scripts, version }).toEqual({
    bin: { kanalog: "kanalog.mjs" },
    dependencies: undefined,
    scripts: undefined,
    version: manifest.version,
  });
  const bun = manifest.dependencies.bun;
  const runtimes = Object.values(PLATFORMS).map(({ runtime }) => [runtime, bun]);
  expect(optionalDependencies).toEqual(Object.fromEntries(runtimes));
  const files = readdirSync(content, { recursive: true });
  for (const file of ["LICENSE", "README.md", ".github/kanalog.png", "src/upkeep/operating.md"])
    expect(files).toContain(file);
  const addons = files.filter((file) => String(file).endsWith(".node"));
  expect(addons).toHaveLength(Object.keys(PLATFORMS).length);
});

/** Licences that allow what Kanalog's own does; another is a decision. */
const LICENCES = [
  ...["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0"],
  // Files of these stay as they are: the fonts, the WebAssembly of pictures, Bun's engine, SQLite.
  ...["MIT AND OFL-1.1", "MPL-2.0", "MIT AND LGPL-2.0-only", "blessing"],
];

test("its bill of materials lists each package inside as the lock file pins it, under a known licence", () => {
  const { bomFormat, components, metadata } = JSON.parse(
    readFileSync(join(content, "kanalog.cdx.json"), "utf8"),
  );
  expect([bomFormat, metadata.component.version]).toEqual(["CycloneDX", manifest.version]);
  const lock = readFileSync(join(ROOT, "bun.lock"), "utf8");
  const texts = readFileSync(join(content, "LICENCES.txt"), "utf8");
  const inside = new Set<string>();
  for (const { group, name, version, licenses, purl } of components) {
    const whole = group === undefined ? name : `${group}/${name}`;
    // An entry of a package may have a package.json of its own.
    if (whole === "read-excel-file/universal") continue;
    inside.add(whole);
    if (purl !== undefined) expect(lock).toContain(`"${whole}@${version}"`);
    const [licence] = licenses;
    expect(LICENCES, whole).toContain(licence.expression ?? licence.license.id);
    expect(texts).toContain(`${whole} ${version}: `);
  }
  expect(Object.keys(manifest.dependencies).filter((name) => !inside.has(name))).toEqual([]);
  expect(components.at(-1)).toMatchObject({
    name: "sqlite",
    version: expect.stringMatching(/^3\.\d+\.\d+$/),
  });
});

test("`npx kanalog mcp --sample` answers a real client with its tools", async () => {
  const [command, launcher] = LAUNCHER;
  const program = { command, args: [launcher, "mcp", "--sample"], ...empty };
  const client = await clientKinds[0]?.overStdio(program);
  const names = (await client?.tools())?.map(({ name }) => name);
  await client?.close();
  expect(names).toEqual(TOOL_NAMES.filter((name) => name !== "me_retrieve"));
});

test.each([["1"], ["2"]])(
  "`npx kanalog start` serves the sample with %s workers, its pages and pictures, until SIGTERM",
  async (workers) => {
    let printed = "";
    const child = Bun.spawn([...LAUNCHER, "start", "--port", "0", "--db", `${workers}.db`], {
      cwd: folder,
      env: { KANALOG_WORKERS: workers, KANALOG_PUBLIC: "charts", npm_config_user_agent: "npm/11" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    server = child;
    for (const stream of [child.stdout, child.stderr]) {
      void (async () => {
        for await (const chunk of stream) printed += Buffer.from(chunk).toString();
      })();
    }
    await until(
      () => printed.includes("curl") || child.exitCode !== null,
      () => printed,
    );
    expect(printed).toContain("npx kanalog key create --member 1");
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";
    const key = /knl_rw_[0-9A-Za-z]{38}/.exec(printed)?.[0] ?? "";
    const search = `/v1/msgr/channels/?q=${encodeURIComponent("новости")}`;
    const found = await fetch(address + search, { headers: { authorization: `Bearer ${key}` } });
    expect(await found.json()).toMatchObject({ results: [{ title: "Новости Москвы" }, {}] });
    for (const path of ["/docs/", "/docs/mcp/kanalog.mcpb", "/account/assets/uplot.js"])
      expect((await fetch(address + path)).status, path).toBe(200);
    // The font and the WebAssembly that draw it are files of the package.
    const picture = await fetch(`${address}/c/nsmag/card.png`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    // Workers, jobs and threads found everything that they need.
    expect(printed).not.toContain('"level":"error"');
  },
);
