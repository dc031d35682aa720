import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  createTextTest,
  hitsOf,
  isMatch,
} from "../../../src/catalog/post-search/finding/match-tokens.ts";
import { type PostQuery, readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";

const finds = (q: string, text: string): boolean => {
  const query = readPostQuery(q);
  return query !== null && isMatch(query, tokensOf(text));
};

test("words are combined by AND and match in any form", () => {
  expect(finds("ипотеки Казань", "В Казани дают ипотеку")).toBe(true);
  expect(finds("ипотеки Казань", "Дают ипотеку")).toBe(false);
  expect(finds("ёлка", "у елки")).toBe(true);
  expect(finds("companies", "A company")).toBe(true);
});

test("a phrase matches consecutive words in any form", () => {
  expect(finds('"новый дом"', "о новом доме")).toBe(true);
  expect(finds('"новый дом"', "дом новый")).toBe(false);
  expect(finds('"новый дом"', "новый красный дом")).toBe(false);
  expect(finds("кто-то", "то кто")).toBe(false);
  // A tag is also a word.
  expect(finds('"новый дом сад"', "новый #дом, сад")).toBe(true);
});

test("a minus excludes texts with the word or phrase", () => {
  expect(finds("дом -реклама", "дом")).toBe(true);
  expect(finds("дом -реклама", "дом, рекламы")).toBe(false);
  expect(finds('дом -"новый дом"', "новый дом")).toBe(false);
});

test("a bar binds its neighbours before AND does", () => {
  expect(finds("дом | дача москва", "дача в Москве")).toBe(true);
  expect(finds("дом | дача москва", "дача")).toBe(false);
  expect(finds("дом|дача", "дача")).toBe(true);
  expect(finds("| дом |", "дом")).toBe(true);
});

test("a star finds words with the prefix, if that has at least three letters", () => {
  expect(finds("ипот*", "ипотечный")).toBe(true);
  expect(finds("новости*", "новости")).toBe(true);
  expect(finds("новости*", "новость")).toBe(false);
  expect(finds("ипо*", "ИП")).toBe(false);
  expect(finds("ип*", "ипотека")).toBe(false);
});

test("an equals sign finds only the exact form, ignoring letter case and ё", () => {
  expect(finds("=Ёлки", "елки")).toBe(true);
  expect(finds("=елки", "елка")).toBe(false);
});

test("a tag finds only the tag, a word finds both", () => {
  expect(finds("#дом", "#Дом!")).toBe(true);
  expect(finds("#дом", "дом")).toBe(false);
  expect(finds("дом", "#дома")).toBe(true);
  expect(finds("@nsmag", "читайте @NSMag.")).toBe(true);
  expect(finds("@nsmag", "nsmag")).toBe(false);
});

test("exclusions alone, and signs without a word, leave nothing to search", () => {
  for (const q of ["", "-дом", '-"a b"', "=", "*", "-", '""', "| |", "!!!", "😀"]) {
    expect(readPostQuery(q)).toBeNull();
  }
});

test("unclosed quotes and misplaced signs are searched as words", () => {
  expect(readPostQuery('"новый дом')).toEqual(readPostQuery("новый дом"));
  expect(readPostQuery("=#дом")).toEqual(readPostQuery("дом"));
  expect(readPostQuery("((дом))")).toEqual(readPostQuery("дом"));
  expect(readPostQuery("(дома*")).toEqual(readPostQuery("дома"));
  expect(readPostQuery("#дом-сад")).toEqual(readPostQuery('"дом сад"'));
  expect(readPostQuery("NEAR(дом)^2 AND {a}:b")).not.toBeNull();
});

const pieces = fc.constantFrom(
  "дом",
  "нов",
  "a",
  '"',
  "-",
  "|",
  "*",
  "=",
  "#",
  "@",
  " ",
  "(",
  "AND",
  "'",
  "\\",
  "\u0000",
);
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(pieces, { maxLength: 100 }).map((some) => some.join("")),
);

test("any text is parsed, into terms that are not empty", async () => {
  await asTimeAllows(
    fc.property(hostile, (q) => {
      const query = readPostQuery(q);
      if (query === null) return;
      expect(query.all.length).toBeGreaterThan(0);
      for (const terms of query.all) expect(terms.length).toBeGreaterThan(0);
      for (const term of [...query.all.flat(), ...query.none]) {
        expect(wordsOf(term).every((word) => word !== "")).toBe(true);
        expect(wordsOf(term).length).toBeGreaterThan(0);
      }
    }),
    300,
  );
});

test("hits are places within the text that do not touch, and every match has one", async () => {
  const word = fc.constantFrom("дом", "дома", "новый", "#дом", "@some", "a", "дача", ",");
  const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
  await asTimeAllows(
    fc.property(text, hostile, (given, q) => {
      const query = readPostQuery(q);
      if (query === null) return;
      const tokens = tokensOf(given);
      const hits = hitsOf(query, tokens);
      if (isMatch(query, tokens)) expect(hits.length).toBeGreaterThan(0);
      let before = -1;
      for (const { start, end } of hits) {
        expect(start).toBeGreaterThan(before);
        expect(end).toBeGreaterThan(start);
        before = end;
      }
      expect(before).toBeLessThanOrEqual([...given].length);
    }),
    300,
  );
});

test("a text is decided by its letters as its words would decide it", async () => {
  const odd = [
    "\u00ad",
    "\u0301",
    "е\u0308",
    "и\u0306",
    "Й",
    "\u1c82",
    "\u{1e03c}",
    "\u02bc",
    "\u200b",
    "Ё",
    "ﬁ",
    "ｄ",
    "ᾳ",
    "K",
    "ſ",
    "İ",
    "\ufe0f",
    "2",
    "😀",
    " ",
    "-",
  ];
  const letters = fc.constantFrom(
    "д",
    "Д",
    "о",
    "м",
    "е",
    "ё",
    "й",
    "k",
    "s",
    "f",
    "i",
    "D",
    ...odd,
  );
  const text = fc.array(letters, { maxLength: 24 }).map((some) => some.join(""));
  const asked = fc
    .array(fc.constantFrom("д", "о", "м", "е", "й", "k", "s", "fi", "d", "2"), {
      minLength: 1,
      maxLength: 5,
    })
    .chain((some) => fc.constantFrom(`=${some.join("")}`, `${some.join("")}*`));
  await asTimeAllows(
    fc.property(
      text,
      fc.array(asked, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (given, some, isAny) => {
        const word = some[0]?.replace(/[=*]/g, "") ?? "";
        const query = readPostQuery(some.join(isAny ? " | " : " "));
        if (query === null) return;
        const test = createTextTest(query);
        for (const one of [
          given,
          `${given}${word}`,
          `${word.split("").join("\u00ad")} ${given}`,
          word.toUpperCase(),
        ]) {
          expect(test(one)).toBe(isMatch(query, tokensOf(one)));
        }
      },
    ),
    1_000,
  );
});

function wordsOf(term: PostQuery["none"][number]): readonly string[] {
  if (term.kind === "stems") return term.stems.flat();
  return [term.kind === "prefix" ? term.prefix : term.form];
}
