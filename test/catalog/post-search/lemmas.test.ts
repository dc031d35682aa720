import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  buildAutomaton,
  eachWithPrefix,
  numberOfWord,
} from "../../../src/catalog/post-search/dictionary/automaton.ts";
import { compileDictionary } from "../../../src/catalog/post-search/dictionary/compile.ts";
import {
  readDictionary,
  writeDictionary,
} from "../../../src/catalog/post-search/dictionary/dictionary-file.ts";
import { expandHunspell } from "../../../src/catalog/post-search/dictionary/hunspell.ts";
import { stemOf, stemsFor } from "../../../src/catalog/post-search/stems.ts";
import { statement } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { channel, expectIds, expectOk, imported } from "../../support/expectations.ts";
import { meanOf, measureNouns, readNouns } from "../../support/noun-list.ts";

const SAMPLE = join(import.meta.dir, "../../../data/sample/posts.ndjson");
const FILE = join(import.meta.dir, "../../../data/dictionary/lemmas.bin");

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(() => appliance.close());

const posts = (...texts: string[]) =>
  imported(
    appliance,
    "posts",
    texts.map((text, at) => ({
      ...{ id: at + 1, channel: 1, text },
      published_at: `2026-11-19T10:${String(at).padStart(2, "0")}:00+03:00`,
    })),
  );
const asking = (q: string): string => `/v1/msgr/posts/search/?${new URLSearchParams({ q })}`;
const found = (q: string, ids: number[]) => expectIds(appliance, asking(q), ids);

test("a word finds all of its forms, also those that a stemmer tells apart, and no other word", async () => {
  for (const forms of [
    ["рынок", "рынка", "рынку", "рынков", "рынками"],
    ["канал", "канала", "каналом", "каналы", "каналах"],
    ["гражданин", "гражданина", "граждане", "граждан"],
    ["уровень", "уровня", "уровнем", "уровней"],
    ["кредит", "кредита", "кредитом"],
    ["владелец", "владельца", "владельцев", "владельцем"],
    ["человек", "человека", "люди", "людей", "людьми"],
    ["имя", "имени", "имена", "имён"],
  ]) {
    await posts(...forms);
    const ids = forms.map((_, at) => at + 1).toReversed();
    for (const form of forms) await found(form, ids);
  }
});

test("words that a stemmer mixes are apart, and a form of several words is found by each of them", async () => {
  await posts("плата", "платой", "платье", "платьев", "вера", "верить");
  await found("плата", [2, 1]);
  await found("платье", [4, 3]);
  await found("вера", [5]);
  await posts("стали производить", "сталью", "станет", "новая сталь", "новой стали", "нет");
  await found("сталь", [5, 4, 2, 1]);
  await found("станут", [5, 3, 1]);
  await found('"новая сталь"', [5, 4]);
  await found("новый -сталь", []);
  await found("=стали", [5, 1]);
});

test("plurals that are words of their own are not found by the other word", async () => {
  await posts("лето", "летом", "много лет", "год", "ребята", "ребёнок", "дети");
  await found("лето", [2, 1]);
  await found("год", [4, 3]);
  await found("ребята", [5]);
  await found("ребенок", [7, 6]);
});

test("English words find their forms, and no words that a stemmer mixes with them", async () => {
  for (const forms of [
    ["company", "companies"],
    ["run", "runs", "ran", "running"],
    ["hope", "hoping", "hoped"],
    ["child", "children"],
    ["creation", "creations"],
    ["happy", "happier", "happiest"],
  ]) {
    await posts(...forms);
    const ids = forms.map((_, at) => at + 1).toReversed();
    for (const form of forms) await found(form, ids);
  }
  await posts("university", "universe", "news", "new", "organ", "organization", "hop", "hope");
  await found("university", [1]);
  await found("news", [3]);
  await found("organs", [5]);
  await found("hopping", [7]);
  await found("happy*", []);
  await found("univers*", [2, 1]);
});

test("beginnings find irregular forms by their letters, not their lemma's", async () => {
  await posts("рынок", "рынка", "день", "дня", "деньги");
  await found("рынк*", [2]);
  await found("рын*", [2, 1]);
  await found("ден*", [5, 3]);
  await found("рын* -рынк*", [1]);
});

describe("an index made with another dictionary", () => {
  test("answers until another took its place, and says that words may be missing", async () => {
    await posts("рынка", "дом");
    const { db } = appliance.app.domains;
    statement(db, "UPDATE post_search_parts SET dictionary = 'stems'").run();
    const note = async () => (await expectOk(appliance, asking("рынок"))).body.note;
    expect(await note()).toContain("being renewed");
    while (appliance.app.postIndex.percent() !== null) await appliance.app.postIndex.tick();
    expect(await note()).toBeNull();
    await found("рынок", [1]);
  });
});

test("a damaged dictionary is not read, and the error says what is wrong with it", () => {
  const whole = readFileSync(FILE);
  expect(readDictionary(whole).tokens.length).toBeGreaterThan(1_000);
  const raw = Bun.gunzipSync(whole);
  const changed = raw.slice();
  changed[raw.length - 9] = 0x41;
  expect(() => readDictionary(Bun.gzipSync(changed))).toThrow("it is damaged");
  expect(() => readDictionary(Bun.gzipSync(raw.slice(0, 50_000)))).toThrow();
  expect(() => readDictionary(whole.subarray(0, 9_000))).toThrow();
  expect(() => readDictionary(Buffer.from("a text"))).toThrow();
  const other = Buffer.from('{"format":0,"arcs":0,"hash":""}\n');
  expect(() => readDictionary(Bun.gzipSync(other))).toThrow("it has format 0 instead of 3");
});

test("a compiled dictionary has a token for each form of the words in it", () => {
  const aff = "SFX O Y 2\nSFX O ок ка ок\nSFX O ок ков ок\nSFX A Y 1\nSFX A 0 а н\n";
  const dic = "5\nрынок/O\nзамок/O\nзамка\nслон/A\nне-слово\n";
  expect([...expandHunspell(aff, dic)][0]).toEqual([
    "рынок",
    [
      ["O", "рынка"],
      ["O", "рынков"],
    ],
  ]);
  const english = {
    aff: "SFX S Y 2\nSFX S y ies y\nSFX S 0 s [^y]\nSFX G Y 1\nSFX G 0 ing .\n",
    dic: "4\ncompany/S\nhop/G\nhope/S\nhopping\nran\nrun/S\n",
  };
  const compiled = compileDictionary({ aff, dic }, english);
  const { arcs, tokens } = readDictionary(writeDictionary(compiled));
  const read = (form: string) => tokens[numberOfWord(arcs, form)];
  expect(read("рынков")).toBe("3.ок");
  expect(read("слона")).toBe("1");
  expect(read("замка")).toBe("2.ка.ок 2.ок");
  expect(read("companies")).toBe("3.y");
  expect([read("hoping"), read("hopping"), read("ran")]).toEqual(["3.e", "4", "2.un"]);
  for (const unknown of ["рын", "рынкам", "слово", "", "elk"])
    expect(read(unknown)).toBeUndefined();
});

test("the automaton knows exactly its words, and those with a prefix", async () => {
  const word = fc.string({ unit: fc.constantFrom("а", "б", "я"), minLength: 1, maxLength: 6 });
  await asTimeAllows(
    fc.property(fc.uniqueArray(word, { minLength: 1 }), word, (words, other) => {
      const numbers = new Map(words.toSorted().map((one, at) => [one, at % 5]));
      const arcs = buildAutomaton(numbers);
      for (const one of [...words, other])
        expect(numberOfWord(arcs, one)).toBe(numbers.get(one) ?? -1);
      const found: [number, number][] = [];
      eachWithPrefix(arcs, other, (number, longer) => found.push([number, longer]));
      const expected = words.filter((one) => one.startsWith(other));
      expect(found.toSorted()).toEqual(
        expected
          .map((one): [number, number] => [numbers.get(one) ?? -1, one.length - other.length])
          .toSorted(),
      );
    }),
    100,
  );
});

test("the nouns of the sample are found with all of their forms, and hardly any other words", async () => {
  const rows = measureNouns(await readNouns([SAMPLE], 10, 6_000), stemOf, stemsFor);
  expect(rows.length).toBeGreaterThan(200);
  expect(meanOf(rows, "recall")).toBeGreaterThan(0.99);
  expect(meanOf(rows, "precision")).toBeGreaterThan(0.99);
  expect(rows.filter(({ recall, precision }) => recall < 0.9 || precision < 0.9)).toEqual([]);
});
