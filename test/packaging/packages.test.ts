import { describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { devDependencies, engines } from "../../package.json";
import { readConfig, SETTINGS } from "../../src/config.ts";
import type { CommandContext } from "../../src/doors/cli/command-context.ts";
import { runCommandLine } from "../../src/doors/cli/command-line.ts";

/** Compares the Dockerfile, the compose file and the systemd unit with the program. */
const ROOT = join(import.meta.dir, "../..");
const read = (name: string): string => readFileSync(join(ROOT, "src/packaging", name), "utf8");
const dockerfile = read("Dockerfile");
const unit = read("kanalog.service");
const compose = Bun.YAML.parse(read("compose.yaml")) as {
  services: Record<string, { environment?: Record<string, string> }>;
  configs: { caddyfile: { content: string } };
};

/** Lines of the Dockerfile or of the unit that begin with a word. */
const lines = (text: string, word: RegExp): string[] =>
  text.split("\n").flatMap((line) => (word.test(line) ? [line.replace(word, "")] : []));
const pairs = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));

const settings: Record<string, Record<string, string>> = {
  Dockerfile: pairs(lines(dockerfile, /^ENV /).join(" ")),
  "kanalog.service": pairs(lines(unit, /^Environment=/).join(" ")),
  "compose.yaml": compose.services["kanalog"]?.environment ?? {},
};

describe.each(Object.entries(settings))("%s", (name, given) => {
  test("uses existing settings with valid values", () => {
    const named = new Set([...Object.keys(given), ...(read(name).match(/\bKANALOG_\w+/g) ?? [])]);
    expect(named.size).toBeGreaterThan(0);
    for (const setting of named) expect(SETTINGS).toHaveProperty([setting]);
    const filledIn = Object.entries(given).map(([setting, value]) => [
      setting,
      value
        .replace(/^\$\{KANALOG_BASE_URL.*\}$/, "https://api.example.com")
        .replace(/^\$\{.*\}$/, ""),
    ]);
    expect(() => readConfig(Object.fromEntries(filledIn))).not.toThrow();
  });
});

test("the Dockerfile and the unit run existing commands", async () => {
  const exec = (line: string): string[] => JSON.parse(line.replace(/^.*?CMD /, ""));
  const called = [
    ...lines(unit, /^ExecStart=/).map((line) => line.split(" ")),
    ...lines(dockerfile, /^HEALTHCHECK /).map(exec),
    ...lines(dockerfile, /^CMD /).map((words) => ["kanalog", ...exec(words)]),
  ];
  expect(called.length).toBe(3);
  let help = "";
  const output = { out: (text: string) => (help += text), note: () => {} };
  await runCommandLine(["help", "--all"], { output } as unknown as CommandContext);
  const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, command]) => command);
  expect(commands).toContain("serve");
  for (const [program, command, ...others] of called) {
    expect(program).toMatch(/(^|\/)kanalog$/);
    expect(commands).toContain(command ?? "");
    expect(others).toEqual([]);
  }
  expect(lines(dockerfile, /^ENTRYPOINT /).map(exec)).toEqual([["kanalog"]]);
});

test("the image is built with the pinned Bun, and serves where Caddy expects it", () => {
  expect(dockerfile.match(/\bbun@[\d.]+/g)).toEqual([`bun@${engines.bun}`]);
  const [port] = lines(dockerfile, /^EXPOSE /);
  expect(port).toBe(String(SETTINGS.KANALOG_PORT.fallback));
  const caddyfile = compose.configs.caddyfile.content.trim().split("\n");
  expect(caddyfile).toContain(`reverse_proxy kanalog:${port}`);
});

test("the image's build gets every file that it reads", () => {
  const allowed = lines(read("Dockerfile.dockerignore"), /^!/);
  const copied = lines(dockerfile, /^COPY (?!--from)/).flatMap((line) =>
    line.split(" ").slice(0, -1),
  );
  const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);
  expect(allowed.filter((path) => !copied.some((one) => isIn(path, one)))).toEqual([]);
  expect(copied.filter((one) => !allowed.some((path) => isIn(path, one)))).toEqual([]);
  const context = mkdtempSync(join(tmpdir(), "kanalog-image-"));
  try {
    for (const path of allowed) cpSync(join(ROOT, path), join(context, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(context, "node_modules"));
    const built = Bun.spawnSync([process.execPath, "src/packaging/build.ts"], { cwd: context });
    expect(built.stderr.toString()).toBe("");
    expect(built.exitCode).toBe(0);
  } finally {
    rmSync(context, { recursive: true });
  }
});

test("the program imports no package that is installed only for its tests", async () => {
  const source = join(ROOT, "src");
  const imported = new Set<string>();
  for (const path of new Bun.Glob("**/*.{ts,tsx}").scanSync(source)) {
    const loader = path.endsWith("x") ? "tsx" : "ts";
    const text = readFileSync(join(source, path), "utf8").replace(/^#!.*/, "");
    for (const one of new Bun.Transpiler({ loader }).scanImports(text)) imported.add(one.path);
  }
  expect(imported).toContain("elysia");
  const isOf = (name: string) => [...imported].some((one) => `${one}/`.startsWith(`${name}/`));
  expect(Object.keys(devDependencies).filter(isOf)).toEqual([]);
});
