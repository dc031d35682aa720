import { describe, expect, test } from "bun:test";
import { fillOf, textsOf } from "../../src/values/messages/texts.ts";

const russian = { language: "ru", names: { plans: { start: "Старт" } } };

function filled(text: string, values: Record<string, string | number | boolean | string[] | null>) {
  return fillOf(text, russian)(values);
}

describe("a text", () => {
  test("contains its values as they are, even if they look like placeholders", () => {
    expect(filled("{a} and {b}: it's {a}", { a: "{b}", b: "'{'" })).toBe("{b} and '{': it's {b}");
    expect(filled("{a}", { a: "<b>$&</b>" })).toBe("<b>$&</b>");
  });

  test("has the plural form of its language, or one for an exact number", () => {
    const posts = "{n} {n, plural, =0 {ничего} one {пост} few {поста} many {постов} other {поста}}";
    for (const [n, expected] of [
      [0, "0 ничего"],
      [1, "1 пост"],
      [3, "3 поста"],
      [11, "11 постов"],
      [21, "21 пост"],
    ] as const) {
      expect(filled(posts, { n })).toBe(expected);
    }
    expect(filled("{more, plural, =0 {} other { and {more} more}}", { more: 0 })).toBe("");
    expect(filled("{all}: {all, plural, =1 {that} other {those}}", { all: ["a"] })).toBe("a: that");
  });

  test("selects by a value, which may be missing, with placeholders in its options", () => {
    const text =
      "{file, select, null {The image} other {«{file}»}} is {isBig, select, true {big} other {small}}.";
    expect(filled(text, { file: null, isBig: true })).toBe("The image is big.");
    expect(filled(text, { file: "a.png", isBig: false })).toBe("«a.png» is small.");
  });

  test("names values, and joins and quotes lists", () => {
    expect(filled("{plan, name, plans}", { plan: "start" })).toBe("Старт");
    expect(filled("{plan, name, plans}", { plan: "constructor" })).toBe("constructor");
    expect(filled("{all}", { all: ["a", "b"] })).toBe("a, b");
    expect(filled("{all, list, и}", { all: ["a", "b"] })).toBe("a и b");
    expect(filled("{all, quoted}", { all: ["a", 'b"'] })).toBe('"a", "b\\""');
  });

  test("may contain braces that are quoted", () => {
    expect(filled("PATCH '{'\"id\": {id}'}'", { id: 5 })).toBe('PATCH {"id": 5}');
  });
});

test("texts are strings, or functions of the values that their keys name", () => {
  const raw = {
    title: "It's {here}",
    "found(count, of)": "{count} of {of}",
    "steps(bot)": ["Find {bot}"],
  };
  const texts = textsOf(raw, russian);
  expect(texts.title).toBe("It's {here}");
  expect(texts.found(3, "five")).toBe("3 of five");
  expect(texts.steps("@bot")).toEqual(["Find @bot"]);
  // @ts-expect-error a value is missing
  texts.found(3);
  // @ts-expect-error of a wrong type
  texts.found(3, null);
  // @ts-expect-error there is no such text
  expect(texts.lost).toBeUndefined();
});
