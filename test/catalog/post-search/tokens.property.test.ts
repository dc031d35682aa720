import { expect, test } from "bun:test";
import fc from "fast-check";
import { stemOf } from "../../../src/catalog/post-search/stems.ts";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";

const WORDS = [
  "ипотека",
  "Ёлка",
  "news",
  "RUNNING",
  "2024",
  "дом",
  "й",
  "и\u0306",
  "е\u0308",
  "на",
  "ﬁ",
  "ß",
];
const BETWEEN = [
  " ",
  "\n",
  ", ",
  "#",
  "@",
  " #",
  " @",
  "_",
  "-",
  "😀",
  "\u00ad",
  "\u200b",
  "\u0301",
  "",
  "№",
  "½",
];
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS),
      fc.constantFrom(...BETWEEN),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

const spelled = (given: string, { start, end }: { start: number; end: number }): string =>
  [...given].slice(start, end).join("");

test("tokens have positions in code points, in order, and the text at each gives the same token again", async () => {
  await asTimeAllows(
    fc.property(text, (given) => {
      const tokens = tokensOf(given);
      const words = tokens.filter(({ kind }) => kind === "word");
      let before = 0;
      for (const word of words) {
        expect(word.start).toBeGreaterThanOrEqual(before);
        expect(word.end).toBeGreaterThan(word.start);
        before = word.end;
      }
      expect(before).toBeLessThanOrEqual([...given].length);
      for (const token of tokens) {
        const again = tokensOf(spelled(given, token)).find(({ kind }) => kind === token.kind);
        expect(again?.form).toBe(token.form);
      }
    }),
    200,
  );
});

test("letter case, ё and the composition of letters make no difference", async () => {
  const readAs = (given: string) => tokensOf(given).map(({ kind, form }) => [kind, form]);
  const plain = fc.array(
    fc.constantFrom("ежик", "мой", "Новости", "дом", "news", "#тег", "@some_one", "2024"),
  );
  await asTimeAllows(
    fc.property(plain, (pieces) => {
      const given = pieces.join(" ");
      for (const other of [given.toUpperCase(), given.toLowerCase(), given.normalize("NFD")]) {
        expect(readAs(other)).toEqual(readAs(given));
      }
      expect(readAs(given.replaceAll("е", "ё"))).toEqual(readAs(given));
    }),
    200,
  );
});

test("a word's forms have one token: of its lemma, or for unknown words the stem", () => {
  const tokensOfForms = (forms: string): string[] => [...new Set(forms.split(" ").map(stemOf))];
  expect(tokensOfForms("ипотека ипотеки ипотеку ипотекой")).toEqual(["ипотек.а"]);
  expect(tokensOfForms("рынок рынка рынками")).toEqual(["рын.ок"]);
  expect(tokensOfForms("метеорит метеорита метеоритом")).toEqual(["метеорит"]);
  expect(tokensOfForms("чатжпт чатжпта чатжптом")).toEqual(["чатжпт"]);
  expect(tokensOfForms("company companies")).toEqual(["compan.y"]);
  expect(tokensOfForms("chatjpt chatjpts")).toEqual(["chatjpt"]);
  for (const form of ["әйтте", "йи", "jq", "covid19"]) expect(stemOf(form)).toBe(form);
});

test("tags and handles are tokens in addition to the words in them, and a mail address contains no handle", () => {
  const read = (given: string) => tokensOf(given).map(({ kind, form }) => `${kind} ${form}`);
  expect(read("См. #Новости_Дня!")).toEqual([
    "word см",
    "word новости",
    "word дня",
    "tag #новости_дня",
  ]);
  expect(read("(@NsMag)")).toEqual(["word nsmag", "handle @nsmag"]);
  expect(read("a@b.ru c#d # @ ##x")).toEqual([
    "word a",
    "word b",
    "word ru",
    "word c",
    "word d",
    "word x",
    "tag #x",
  ]);
});

test("stress marks and soft hyphens split no word", () => {
  const read = (given: string) => tokensOf(given).map(({ form }) => form);
  expect(read("за\u0301мок ипо\u00adтека")).toEqual(["замок", "ипотека"]);
});
