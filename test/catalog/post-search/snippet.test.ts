import { expect, test } from "bun:test";
import { type Snippet, snippetOf } from "../../../src/catalog/post-search/finding/snippet.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";

/** The snippet of a text, whose hits are the forms of `hit`. */
function snippet(text: string): Snippet & { hits: string[] } {
  const query = readPostQuery('hit | "hit here"');
  if (query === null) throw new Error("no query");
  const found = snippetOf(text, query);
  expect([...found.snippet].length).toBeLessThanOrEqual(200);
  const hits = found.highlights.map(([from, to]) => [...found.snippet].slice(from, to).join(""));
  return { ...found, hits };
}

/** Numbered words of ten characters, including the space after each. */
const words = (count: number): string =>
  Array.from({ length: count }, (_, at) => `word${String(at).padStart(5, "0")} `).join("");

test("a text of up to 200 characters is shown whole, on one line", () => {
  expect(snippet(`hit\n\n ${words(19)}`).snippet).toBe(`hit ${words(19)}`.trim());
});

test("of a longer text, the beginning is shown if the first hit is near it, to the end of a word", () => {
  const { snippet: near } = snippet(`${words(10)}hit ${words(50)}`);
  expect(near).toBe(`${words(10)}hit ${words(9)}`.trimEnd().concat("…"));
});

test("otherwise up to 50 characters before the hit are shown, from the beginning of a word", () => {
  const { snippet: far } = snippet(`${words(40)}hit ${words(50)}`);
  expect(far).toStartWith("…word00035 ");
  expect(far).toEndWith("word00013…");
  expect([...far].length).toBeGreaterThan(190);
});

test("a hit is shown whole, wherever it is in a text", () => {
  for (let before = 0; before < 90; before += 1) {
    for (const fill of ["", "a", "ab", "abcd", "abcdefg"]) {
      const text = `${fill} ${words(before)}hit here ${words(60)}`;
      expect([before, fill, snippet(text).hits]).toEqual([before, fill, ["hit here"]]);
      expect([...snippet(text).snippet].length).toBeGreaterThan(180);
    }
  }
});

test("a word longer than a snippet is cut", () => {
  const { snippet: long } = snippet("a".repeat(300));
  expect(long).toBe(`${"a".repeat(198)}…`);
  expect(snippet(`${"a".repeat(300)} hit`).hits).toEqual(["hit"]);
});
