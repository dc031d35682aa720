import { expect, test } from "bun:test";
import fc from "fast-check";
import { indexWords } from "../../../src/catalog/post-search/index-text.ts";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";

const PIECES = [
  "ипотека",
  "Ипотеки",
  "Ёлка",
  "RUNNING",
  "за\u0301мок",
  "дом",
  "#дом",
  "@ns_mag",
  "😀",
];
const LONG = ["ж".repeat(31), "ж".repeat(32), "ж".repeat(100), "𝒜".repeat(20)];
const text = fc
  .array(
    fc.oneof(fc.constantFrom(...PIECES, ...LONG), fc.string({ unit: "binary", maxLength: 5 })),
    {
      maxLength: 60,
    },
  )
  .map((pieces) => pieces.join(" "));

/** The same, computed from the tokens alone. */
function expectedOf(given: string) {
  const tokens = tokensOf(given);
  const stems = tokens.flatMap((token) => (token.kind === "word" ? token.stem : []));
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const frequent = [...counts].flatMap(([stem, count]) =>
    [`${stem}+`, `${stem}++`].slice(0, Math.min(count, 3) - 1),
  );
  const marks = new Set(tokens.flatMap((token) => (token.kind === "word" ? [] : token.form)));
  return { all: [...stems, ...frequent, ...marks], words: stems.length, stems: [...counts.keys()] };
}

function readOf(given: string) {
  const { tokens, words, stems, stemsByNumber } = indexWords(given);
  return {
    all: tokens
      .toString()
      .split(" ")
      .filter((token) => token !== ""),
    words,
    stems: stems.map((stem) => stemsByNumber[stem] ?? ""),
  };
}

test("the index stores a text's stems in order, tokens for those that occur two or three times, and its tags and handles", async () => {
  await asTimeAllows(
    fc.property(text, (given) => {
      expect(readOf(given)).toEqual(expectedOf(given));
    }),
    200,
  );
});

test("a text gives the same tokens however many words were read before, and however many it has", () => {
  const given = "Ипотека ипотеки дом news 2024";
  const before = readOf(given);
  const words = (from: number, count: number): string =>
    Array.from({ length: count }, (_, at) => `слово${from + at}`).join(" ");
  for (let from = 0; from < 140_000; from += 10_000) indexWords(words(from, 10_000));
  expect(readOf(given)).toEqual(before);
  const long = words(0, 140_000);
  expect(readOf(long)).toEqual(expectedOf(long));
  expect(readOf(given)).toEqual(before);
});
