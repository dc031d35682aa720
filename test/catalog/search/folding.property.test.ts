import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { expectFaults, imported, pagesOf } from "../../support/expectations.ts";

/** Pieces of titles, each in several ways of writing; all of them are folded to the first. */
const PIECES: readonly (readonly string[])[] = [
  ["а", "А"],
  ["е", "Е", "ё", "Ё", "е\u0308"],
  ["и", "И"],
  ["й", "Й", "и\u0306"],
  ["fi", "Fi", "ﬁ", "ｆｉ"],
  ["ss", "ß", "ẞ", "SS"],
  ["σ", "Σ", "ς"],
  ["ο", "Ο"],
  ["é", "É", "e\u0301"],
  ["don't", "don’t", "DON‘T", "donʼt", "don`t", "don´t", "don＇t"],
  ["no", "№", "No"],
  ["2", "²", "２"],
  [" ", "\u00a0", "\u2003", "\u3000", "\t", "\n"],
  ["❤", "❤\ufe0f", "❤\ufe0e"],
  ["", "\u200b", "\u00ad", "\u2060", "\ufeff"],
  ["على".replace("ى", "ي"), "على", "علی"],
  ["كتاب", "کتاب"],
  ["100%_", "１00%_"],
];

const piece = fc.nat({ max: PIECES.length - 1 });
const writing = fc.nat({ max: 20 });
const written = fc.array(fc.tuple(piece, writing), { minLength: 3, maxLength: 8 });
type Written = readonly (readonly [number, number])[];

const asWritten = (text: Written): string =>
  text.map(([at, way]) => PIECES[at]?.[way % (PIECES[at]?.length ?? 1)]).join("");
const asRead = (text: Written): string =>
  text
    .map(([at]) => PIECES[at]?.[0])
    .join("")
    .replace(/ +/g, " ");

const TITLES: readonly Written[] = fc
  .sample(written, { numRuns: 400, seed: 7 })
  .filter((title) => asRead(title).trim() !== "");

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  await imported(
    appliance,
    "channels",
    TITLES.map((title, at) => ({ id: at + 1, title: asWritten(title), subscribers: 1_000 - at })),
  );
});
afterAll(() => appliance.close());

async function found(q: string): Promise<number[]> {
  const pages = await pagesOf(appliance, `/v1/msgr/channels/?limit=100&q=${encodeURIComponent(q)}`);
  return pages.flat();
}

/** Whether a title contains a text, or its words, each where one begins. */
function isFound(title: string, text: string): boolean {
  const words = text.split(" ");
  const begins = (word: string) =>
    Array.from({ length: title.length }, (_, at) => at).some(
      (at) => title.startsWith(word, at) && !/[\p{L}\p{N}\p{M}]$/u.test(title.slice(0, at)),
    );
  return (
    title.includes(text) ||
    (words.length > 1 && words.every((word) => [...word].length > 2) && words.every(begins))
  );
}

test("a text is found in every way of writing it, and nothing else is", async () => {
  const part = fc.record({
    title: fc.nat({ max: TITLES.length - 1 }),
    from: fc.nat({ max: 5 }),
    count: fc.integer({ min: 2, max: 6 }),
    ways: fc.array(writing, { minLength: 8, maxLength: 8 }),
  });
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(part, async ({ title, from, count, ways }) => {
      const piecesOfQuery = (TITLES[title] ?? [])
        .slice(from, from + count)
        .map(([at], index) => [at, ways[index] ?? 0] as const);
      const q = asWritten(piecesOfQuery).trim();
      const read = asRead(piecesOfQuery).trim();
      fc.pre([...q].length >= 3 && [...read].length >= 3);
      const expected = TITLES.flatMap((one, at) =>
        isFound(asRead(one).trim(), read) ? [at + 1] : [],
      );
      hits += expected.length;
      expect(await found(q)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
  expect(hits).toBeGreaterThan(300);
});

test("a text with less than three visible characters is refused", async () => {
  for (const q of ["ab\u200b", "\u200b\u200b\u200b", "a\ufe0f\ufe0f", "е\u0308ж"]) {
    await expectFaults(appliance, `/v1/msgr/channels/?q=${encodeURIComponent(q)}`, {
      q: "Ensure this field has at least 3 characters.",
    });
  }
});
