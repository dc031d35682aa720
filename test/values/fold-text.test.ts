import { expect, test } from "bun:test";
import { foldText } from "../../src/values/fold-text.ts";

/** Texts on one line look alike to people: a search for one finds the others. */
const ALIKE: readonly string[][] = [
  ["Ёлка", "елка", "ЕЛКА", "е\u0308лка"],
  ["Йод", "йод", "и\u0306од"],
  ["ﬁnance", "FINANCE", "ｆｉｎａｎｃｅ"],
  ["Straße", "STRASSE", "strasse"],
  ["ΟΔΟΣ", "οδος", "οδοσ"],
  ["№1", "No1"],
  ["x²", "x2"],
  ["❤️ дом", "❤ дом"],
  ["ново\u00adсти", "ново\u200bсти", "ново\u2060сти", "\ufeffновости", "новости"],
  ["don't", "don’t", "donʼt", "don‘t", "don`t", "don´t"],
  ["علي", "على", "علی"],
  ["كتاب", "کتاب"],
  ["a b", "a\u00a0b", "a\u2009b", "a\u3000b", "a  b", "a\tb"],
];

for (const texts of ALIKE) {
  test(`${JSON.stringify(texts)} are the same text`, () => {
    const [first, ...others] = texts.map(foldText);
    for (const other of others) expect(other).toBe(first as string);
  });
}

test("folding a folded text changes nothing", () => {
  for (const text of ALIKE.flat()) expect(foldText(foldText(text))).toBe(foldText(text));
});

test("letters that differ stay different", () => {
  const letters = [..."абвгдежзийклмнопрстуфхцчшщъыьэюяabcdefghijklmnopqrstuvwxyz0123456789"];
  expect(new Set(letters.map(foldText)).size).toBe(letters.length);
});
