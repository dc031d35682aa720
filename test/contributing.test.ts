import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readDocument } from "./support/documents.ts";

const { text } = readDocument(".github/CONTRIBUTING.md");
/** The recipes of CONTRIBUTING: how many source files each names, and how many files of texts. */
const FILES: Record<string, readonly [code: number, texts: number]> = {
  "A field on the card": [3, 1],
  "A method with tool and page": [4, 2],
  "A verb of the operator": [2, 4],
  "An import kind": [4, 2],
  "A nightly job": [2, 0],
  "A site page": [4, 2],
  "A text": [1, 2],
  "A language": [2, 2],
  "A setting": [4, 0],
  "A webhook event": [4, 2],
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
      code: [...named].filter((file) => /^src.*\.(?:tsx?|sql)$/.test(file)),
      texts: [...named].filter((file) => file.startsWith("src/words/")),
    };
  });

test("CONTRIBUTING has these recipes", () => {
  expect(recipes.map(({ name }) => name)).toEqual(Object.keys(FILES));
});

describe.each(recipes)("the recipe: $name", ({ name, named, code, texts }) => {
  test("names only files that exist, and as many as it takes", () => {
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    // `words.ts` is code.
    const shown = [code.length, texts.filter((file) => file.endsWith(".json")).length] as const;
    expect(shown).toEqual(FILES[name] ?? [0, 0]);
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
