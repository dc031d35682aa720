import { expect, test } from "bun:test";
import fc from "fast-check";
import { foldLong } from "../../../src/doors/site/pages/channels/post-text.tsx";

test("a long post is folded between lines, or else between words; a short one is not", () => {
  expect(foldLong("short", 10)).toEqual(["short", ""]);
  expect(foldLong("first line\nsecond line is long", 14)).toEqual([
    "first line",
    "second line is long",
  ]);
  expect(foldLong("one two three four five six", 10)).toEqual(["one two", "three four five six"]);
});

test("pairs of marks and links are not split if enough text precedes them", () => {
  for (const [text, start] of [
    ["some words **bold words that go on** and more", "some words"],
    ["some words [a link with words](https://a.example/) and more", "some words"],
    ["some words `code that goes on` and more", "some words"],
  ] as const) {
    expect(foldLong(text, 24)[0], text).toBe(start);
  }
});

test("surrogate pairs are not split", () => {
  for (const parts of foldLong(`x${"🙌".repeat(60)}`, 20)) expect(parts.isWellFormed()).toBe(true);
});

test("no character other than blanks is lost, whatever the text", () => {
  const part = fc.oneof(fc.constantFrom("**", "`", "[", "](", "\n", " ", "слово "), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const text = parts.join("");
      const [start, rest] = foldLong(text, 40);
      const bare = (one: string) => one.replace(/\s+/g, "");
      expect(bare(start) + bare(rest)).toBe(bare(text));
    }),
  );
});
