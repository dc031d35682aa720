import { afterEach, beforeEach, expect, test } from "bun:test";
import { countTerms } from "../../../src/catalog/trends/count-terms.ts";
import { makeTrends } from "../../../src/catalog/trends/make-trends.ts";
import { readTerms, termAsWritten } from "../../../src/catalog/trends/terms.ts";
import { packedMade, readMade, saveMade } from "../../../src/catalog/trends/trends.store.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectFaults, expectOk, imported } from "../../support/expectations.ts";

/** Now is noon of 2026-11-20 by the fake clock. */
let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  const channels = Array.from({ length: 30 }, (_, at) =>
    channel(at + 1, { territory: at < 6 ? "kazan" : "moskva" }),
  );
  await imported(appliance, "channels", channels);
});
afterEach(() => appliance.close());

const PATH = "/v1/msgr/trends/";
const run = () => makeTrends(appliance.app.domains.db, appliance.ports.clock);
const words = async (query = ""): Promise<string[]> => {
  const { body } = await expectOk(appliance, PATH + query);
  return body.results.map((one: { words: string }) => one.words);
};
let numbered = 0;
const post = (id: number, day: number, hour: number, text: string, more: object = {}) => ({
  ...{ channel: id, msgr_post_id: ++numbered, text, views: id },
  published_at: `2026-11-${String(day).padStart(2, "0")}T${String(hour).padStart(2, "0")}:10:00+03:00`,
  ...more,
});
/** Each of some channels writes a text on each of the days compared with, and now. */
const usual = (text: string, ids: readonly number[]) =>
  [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20].flatMap((day) =>
    ids.map((id) => post(id, day, 10, text)),
  );
const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

test("says so before the first run, and without days to compare with", async () => {
  expect((await expectOk(appliance, PATH)).body).toEqual({
    ...{ results: [], made_at: null, compared_days: 0 },
    note: "Not made yet: it is made every 15 minutes, once the days to compare with are counted.",
  });
  await imported(
    appliance,
    "posts",
    ids(1, 10).map((id) => post(id, 20, 9, "Наводнение")),
  );
  await run();
  expect((await expectOk(appliance, PATH)).body).toEqual({
    ...{ results: [], made_at: "2026-11-20T12:00:00+03:00", compared_days: 0 },
    note: "There are no posts of the 14 days to compare with.",
  });
});

test("counts without holding the cells that it counted in", async () => {
  const { db } = appliance.app.domains;
  const now = appliance.ports.clock.now();
  const counted = await countTerms(db, appliance.ports.clock, [now - 1], now);
  expect(counted).toEqual([{ counts: new Map(), active: 0 }]);
});

test("finds a word in any form and a pair, with the form that most posts have, hours and the most viewed posts", async () => {
  await imported(appliance, "posts", [
    ...usual("Обычный день, как всегда и везде", ids(1, 30)),
    ...ids(1, 8).map((id) => post(id, 20, 9, id < 3 ? "Наводнения!" : "Снова наводнение, и снова")),
    ...ids(11, 16).map((id) => post(id, 20, 11, "Чёрная дыра")),
    ...ids(21, 25).map((id) => post(id, 20, 1, "Туман")),
    // One channel makes no trend, however much it writes.
    ...ids(1, 20).map((hour) => post(30, 20, hour % 12, "Купите слона у нас")),
  ]);
  await run();
  const { body } = await expectOk(appliance, PATH);
  expect(body).toMatchObject({ compared_days: 13, made_at: "2026-11-20T12:00:00+03:00" });
  expect(body.note).toStartWith("Only 13 of the 14 days");
  const [first] = body.results;
  expect(first).toMatchObject({
    ...{ words: "наводнение", channels: 8, posts: 8, views: 36, channels_usual: 0, growth: null },
  });
  expect(first.by_hour).toHaveLength(24);
  expect([first.by_hour[20], first.by_hour[23]]).toEqual([8, 0]);
  expect(
    first.top_posts.map(({ channel: id, views }: Record<string, number>) => [id, views]),
  ).toEqual([
    [8, 8],
    [7, 7],
    [6, 6],
  ]);
  const found = body.results.map((one: { words: string }) => one.words);
  expect(found).toContain("черная дыра");
  // The pair says what its words would; five channels in a day may be no more than on days that count none.
  for (const absent of [
    "туман",
    "черная",
    "дыра",
    "всегда",
    "слона",
    "купите слона",
    "обычный день",
  ])
    expect(found).not.toContain(absent);
});

test("lists what rises with the channels of a category or territory", async () => {
  await imported(appliance, "posts", [
    ...usual("Обычный день", ids(1, 30)),
    ...ids(1, 6).map((id) => post(id, 20, 9, "Потоп")),
    ...ids(10, 20).map((id) => post(id, 20, 9, "Ураган")),
  ]);
  await run();
  expect((await words()).toSorted()).toEqual(["потоп", "ураган"]);
  expect(await words("?territory=kazan")).toEqual(["потоп"]);
  expect(await words("?territory=russia&limit=1")).toHaveLength(1);
  await expectFaults(appliance, `${PATH}?territory=nowhere&hours=5`, {
    hours: "Ensure this value is greater than or equal to 6.",
  });
  await expectFaults(appliance, `${PATH}?hours=73`, {
    hours: "Ensure this value is less than or equal to 72.",
  });
  await expectFaults(appliance, `${PATH}?territory=nowhere&category=nothing`, {
    territory: "Object with slug=nowhere does not exist.",
    category: "Object with slug=nothing does not exist.",
  });
});

test("a result that an older version stored shows nothing until the next run", async () => {
  await imported(appliance, "posts", [
    ...usual("Обычный день", ids(1, 30)),
    ...ids(1, 6).map((id) => post(id, 20, 9, "Потоп")),
  ]);
  await run();
  expect(await words()).toEqual(["потоп"]);
  const { db, clock } = appliance.app.domains;
  const made = readMade(db);
  const content = packedMade(JSON.parse(JSON.stringify(made, withoutHidden)));
  await inTransaction(db, clock, "trends", (tx) => saveMade(tx, clock.now() + 1, content));
  expect(await words()).toEqual([]);
  await run();
  expect(await words()).toEqual(["потоп"]);
});

const withoutHidden = (name: string, value: unknown): unknown =>
  name === "hidden" ? undefined : name === "madeAt" ? Number(value) + 1 : value;

test("a deleted post is not shown, a hidden channel does not count in the next run, and hours pass", async () => {
  const texts = ids(1, 7).map((id) => post(id, 20, 9, "Потоп"));
  await imported(appliance, "posts", [...usual("Обычный день", ids(1, 30)), ...texts]);
  await run();
  const shown = async () => (await expectOk(appliance, PATH)).body.results[0];
  expect((await shown()).top_posts[0].channel).toBe(7);
  await imported(appliance, "posts", [{ ...texts[6], text: "", deleted: true }]);
  expect((await shown()).top_posts.map((one: { channel: number }) => one.channel)).toEqual([
    6, 5, 4,
  ]);
  await imported(appliance, "channels", [channel(7, { is_public: false })]);
  appliance.ports.clock.advance(900_000);
  await run();
  expect((await shown()).channels).toBe(6);
  appliance.ports.clock.set("2026-11-22T12:00:00+03:00");
  await run();
  expect(await words()).toEqual([]);
  expect(await words("?hours=72")).toEqual(["потоп"]);
});

test("hours and days without posts are zeros, in which nothing rises", async () => {
  // Two of the days compared with have posts, and the last 72 hours none.
  const few = ids(1, 30).flatMap((id) => [post(id, 5, 10, "Потоп"), post(id, 15, 23, "Потоп")]);
  await imported(appliance, "posts", few);
  await run();
  for (const query of ["?hours=6", "", "?hours=72", "?territory=kazan"]) {
    expect(await words(query)).toEqual([]);
  }
  appliance.ports.clock.set("2026-11-20T12:15:00+03:00");
  await imported(
    appliance,
    "posts",
    ids(1, 6).map((id) => post(id, 20, id < 4 ? 2 : 11, "Засуха")),
  );
  await run();
  const { body } = await expectOk(appliance, `${PATH}?hours=72`);
  expect(body).toMatchObject({ compared_days: 2, results: [{ words: "засуха", channels: 6 }] });
  const expected = Array.from({ length: 72 }, (_, at) => ([61, 70].includes(at) ? 3 : 0));
  expect(body.results[0].by_hour).toEqual(expected);
  // Half a year later, of which nothing is known.
  appliance.ports.clock.set("2027-05-20T12:00:00+03:00");
  await run();
  const later = await expectOk(appliance, `${PATH}?hours=72`);
  expect(later.body).toMatchObject({ results: [], compared_days: 0 });
  expect(later.body.note).toStartWith("There are no posts");
});

test("a run that takes long for the days before leaves the words to the next, with what was found earlier", async () => {
  const { db } = appliance.app.domains;
  let processorMs = 0;
  const slow = { ...appliance.ports.clock, processor: () => (processorMs += 25_000) };
  await imported(appliance, "posts", [
    ...usual("Обычный день", ids(1, 30)),
    ...ids(1, 6).map((id) => post(id, 20, 9, "Потоп")),
  ]);
  // Two days a run.
  for (let made = 0; made < 7; made += 1) {
    await makeTrends(db, slow);
    expect((await expectOk(appliance, PATH)).body.made_at).toBeNull();
  }
  await run();
  expect((await expectOk(appliance, PATH)).body).toMatchObject({
    ...{ made_at: "2026-11-20T12:00:00+03:00", compared_days: 13 },
    results: [{ words: "потоп" }],
  });
  // A day is counted again.
  appliance.ports.clock.set("2026-11-20T13:15:00+03:00");
  await makeTrends(db, slow);
  expect(await words()).toEqual(["потоп"]);
  expect((await expectOk(appliance, PATH)).body.made_at).toBe("2026-11-20T12:00:00+03:00");
});

test("is made every 15 minutes by a job", async () => {
  await imported(appliance, "posts", [
    ...usual("Обычный день", ids(1, 30)),
    ...ids(1, 6).map((id) => post(id, 20, 9, "Потоп")),
  ]);
  const { clock } = appliance.ports;
  await appliance.app.scheduler.runDue();
  clock.set("2026-11-20T12:15:01+03:00");
  await appliance.app.scheduler.runDue();
  expect((await expectOk(appliance, PATH)).body.made_at).toBe("2026-11-20T12:15:01+03:00");
  expect(await words()).toEqual(["потоп"]);
});

test("numbers, addresses, handles and short words are no terms, a tag is its words, hostile texts are read", () => {
  const terms = (text: string) => {
    const found = new Set<string>();
    readTerms(text, (_hash, ...words) => found.add(termAsWritten(...words)));
    return [...found];
  };
  expect(terms("В 2026 году 5g и на https://t.me/abc/1 t.me/xyz @some_body пишут")).toEqual([
    "году",
    "пишут",
  ]);
  expect(terms("#Новый_год, новый  год. Слово-дело")).toEqual([
    ...["новый", "год", "слово", "дело", "слово дело"],
  ]);
  expect(terms("")).toEqual([]);
  expect(terms("\u202e\u0000 \ud800 #@#@ %_%' ' OR 1=1")).toEqual([]);
  expect(terms("а".repeat(5000))[0]?.length).toBe(60);
  expect(terms("x y ".repeat(20_000))).toEqual([]);
});

test("of a channel with thousands of posts the last 2,000 are looked at, and the note says so", async () => {
  const now = Date.parse("2026-11-20T11:59:00+03:00");
  const flood = Array.from({ length: 2_001 }, (_, at) => ({
    ...post(6, 20, 9, at === 0 ? "Наводнение" : "Поток"),
    published_at: new Date(now - (2_001 - at) * 20_000).toISOString(),
  }));
  await imported(appliance, "posts", [
    ...usual("Обычный день", ids(1, 30)),
    post(1, 3, 10, "Обычный день"),
    ...flood,
    ...[...ids(1, 5), 7].map((id) => post(id, 20, 9, "Наводнение")),
  ]);
  await run();
  const { body } = await expectOk(appliance, PATH);
  const flooded = body.results.find(({ words }: { words: string }) => words === "наводнение");
  expect(flooded).toMatchObject({ channels: 6, posts: 6 });
  expect(body.note).toStartWith("Of channels with more posts than 2000");
}, 30_000);
