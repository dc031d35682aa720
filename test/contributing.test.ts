import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readDocument } from "./support/documents.ts";

/** The recipes of CONTRIBUTING: each may name only so many source files. */
const { text } = readDocument(".github/CONTRIBUTING.md");
const FILES_MAX: Record<string, number> = {
  "A field on the card": 4,
  "A method with tool and page": 6,
  "A verb of the operator": 5,
  "An import kind": 5,
  "A nightly job": 2,
  "A site page": 7,
  "A text": 3,
  "A language": 2,
  "A setting": 4,
  "A webhook event": 7,
};
/** Recipes that still name more, and how many: a change that needs fewer lowers or removes the number. */
const MORE: Record<string, number> = {
  // Two new files, and two lists that each get a line.
  "A language": 4,
};

const recipes = text
  .slice(text.indexOf("## Recipes"))
  .split("\n### ")
  .slice(1)
  .map((recipe) => {
    const [name = ""] = recipe.split("\n");
    const named = new Set(
      [...recipe.matchAll(/`((?:src|test)\/[^`]+\.\w+)`/g)].map(([, file = ""]) => file),
    );
    return {
      name,
      named: [...named],
      code: [...named].filter((file) => /^src.*\.(?:tsx?|json)$/.test(file)),
    };
  });

test("CONTRIBUTING has these recipes", () => {
  expect(recipes.map(({ name }) => name)).toEqual(Object.keys(FILES_MAX));
});

describe.each(recipes)("the recipe: $name", ({ name, named, code }) => {
  test("names only files that exist, and no more than allowed", () => {
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const more = MORE[name];
    if (more === undefined) expect(code.length).toBeLessThanOrEqual(FILES_MAX[name] ?? 0);
    else expect(code.length).toBe(more);
  });
});

test("the table of folders lists each folder of src, and only folders that exist", () => {
  const [, map = ""] = /## The folders\n([\s\S]*?)\n## /.exec(text) ?? [];
  const named = [...map.matchAll(/^\| `([^`]+)`/gm)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const folders = [...new Bun.Glob("src/*/").scanSync({ cwd: ROOT, onlyFiles: false })];
  expect(folders.length).toBeGreaterThan(9);
  for (const folder of folders) {
    const path = folder.replace(/\/?$/, "/");
    expect(
      named.some((one) => one.startsWith(path)),
      path,
    ).toBe(true);
  }
});
