import { afterAll, beforeAll, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import {
  type CatalogFilter,
  NO_FILTER,
  type SelectionView,
} from "../../../src/catalog/search/catalog.ts";
import { describeSelection } from "../../../src/catalog/search/describe-selection.ts";
import { createLargeSelections, createSearch } from "../../../src/catalog/search/search.ts";
import { runFor } from "../../../src/values/tenant.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectFaults, expectOk, imported } from "../../support/expectations.ts";
import { fakeClock } from "../../support/fake-ports.ts";

const STATS = "/v1/msgr/channels/stats/";
let appliance: Appliance;

beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { subscribers: 100, category: "science", categories: ["news"], territory: "kazan" }),
    channel(2, { subscribers: 200, category: "science", title: "Ёж" }),
    channel(3, { subscribers: 400, category: "news", territory: "russia" }),
    channel(4, { subscribers: 1000, a_plus: true, handle: "four" }),
    channel(5, { subscribers: 7, kind: "chat", category: "science" }),
    channel(6, { subscribers: 9, is_public: false, category: "science" }),
  ]);
  await imported(appliance, "stats", [
    { channel: 2, day: "2026-10-20", subscribers: 10 },
    { channel: 2, day: "2026-11-19", subscribers: 200 },
  ]);
  await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
});
afterAll(() => appliance.close());

test("a selection has its number of channels, sum, median, nine deciles, categories and territories", async () => {
  const { body } = await expectOk(appliance, STATS);
  expect(body).toEqual({
    channels: 4,
    subscribers: {
      ...{ sum: 1700, median: 300 },
      deciles: [130, 160, 190, 240, 300, 360, 460, 640, 820],
    },
    // Equal numbers of channels come in the directory's order.
    categories: expect.arrayContaining([
      { slug: "science", channels: 2, subscribers: 300 },
      { slug: "news", channels: 2, subscribers: 500 },
    ]),
    territories: expect.any(Array),
  });
  // A territory includes those below it.
  expect(body.territories[0]).toEqual({ slug: "russia", channels: 2, subscribers: 500 });
  expect(body.territories).toContainEqual({ slug: "kazan", channels: 1, subscribers: 100 });
});

test("every filter of the catalog selects what the catalog lists", async () => {
  const filters = ["category=science", "category=news", "territory=russia", "territory=kazan"];
  const more = ["kind=chat", "subscribers_min=200", "subscribers_max=200", "a_plus=true"];
  const rest = ["a_plus=false", "verified=true", "q=@four", "q=channel", "q=HANN", "q=@nobody"];
  const metrics = [
    "growth_30d_min=190",
    "growth_30d_min=191",
    "category=science&subscribers_min=150",
  ];
  for (const filter of [...filters, ...more, ...rest, ...metrics]) {
    const { body: list } = await expectOk(appliance, `/v1/msgr/channels/?${filter}`);
    const { body } = await expectOk(appliance, `${STATS}?${filter}`);
    expect(body.channels, filter).toBe(list.results.length);
    const sum = list.results.reduce(
      (all: number, card: { subscribers: number }) => all + card.subscribers,
      0,
    );
    expect(body.subscribers.sum, filter).toBe(sum);
    if (body.channels === 0)
      expect(body.subscribers).toEqual({ sum: 0, median: null, deciles: [] });
  }
});

test("wrong filters are the same 400s as in the catalog", async () => {
  await expectFaults(appliance, `${STATS}?category=nothing&subscribers_min=x&q=ab`, {
    subscribers_min: "A valid integer is required.",
  });
  await expectFaults(appliance, `${STATS}?q=ab`, {
    q: "Ensure this field has at least 3 characters.",
  });
});

test("scanning all channels gives the same as finding them, and selections over 20,000 are always scanned", async () => {
  const many = await startAppliance();
  try {
    const rows = Array.from({ length: 20_050 }, (_, at) =>
      channel(at + 1, {
        subscribers: (at * 7919) % 30_011,
        category: at % 3 === 0 ? "science" : "news",
        territory: at % 5 === 0 ? "kazan" : null,
        title: at % 7 === 0 ? `Редкий ёж ${at}` : `Общий ${at}`,
      }),
    );
    await imported(many, "channels", rows);
    const { db } = many.app.domains;
    const category = db.prepare<{ id: number }>("SELECT id FROM categories WHERE slug = 'science'");
    const filters: Partial<CatalogFilter>[] = [
      { categoryId: category.get()?.id ?? null },
      { text: "ЕЖ 7" },
      { subscribersMin: 25_000, aPlus: false },
      { subscribersMax: 100, text: "общий" },
    ];
    for (const one of filters) {
      const filter = { ...NO_FILTER, ...one };
      const found = describeSelection(db, { filter, mayTakeLong: false });
      expect(found?.channels).toBeGreaterThan(0);
      expect(describeSelection(db, { filter, mayTakeLong: true })).toEqual(found);
    }
    expect(describeSelection(db, { filter: NO_FILTER, mayTakeLong: false })).toBeNull();
    const { body } = await expectOk(many, STATS);
    expect(body.channels).toBe(20_050);
    expect(body.subscribers.sum).toBe(
      rows.reduce((all, { subscribers }) => all + Number(subscribers), 0),
    );
  } finally {
    await many.close();
  }
});

test("one selection of a customer is counted at a time, and twenty may wait; others' are counted at once", async () => {
  const counted: number[] = [];
  const { promise: mayEnd, resolve } = Promise.withResolvers<void>();
  const unused = () => Promise.reject(new Error("a page was read"));
  const readers = {
    ...{ selectCatalog: unused, countCatalog: unused, topSubscribers: unused },
    async describeSelection({ filter }: { filter: CatalogFilter }) {
      counted.push(Number(filter.subscribersMin));
      await mayEnd;
      return {} as SelectionView;
    },
  };
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const search = createSearch(appliance.app.domains.db, readers, clock);
  const statisticsFor = (tenant: number, subscribersMin: number) =>
    runFor(tenant, null, () => search.describe({ ...NO_FILTER, subscribersMin }));
  const theirs = Array.from({ length: 22 }, (_, at) => statisticsFor(1, at));
  const ended = Promise.allSettled([...theirs, statisticsFor(2, 100)]);
  await new Promise((done) => setImmediate(done));
  expect(counted).toEqual([0, 100]);
  resolve();
  const refused = (await ended).filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([{ reason: { code: "throttled" } }]);
  expect(counted).toEqual([0, 100, ...Array.from({ length: 20 }, (_, at) => at + 1)]);
});

test("a customer's large selection does not wait for all of another's", async () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const counted: number[] = [];
  const { promise: mayEnd, resolve } = Promise.withResolvers<void>();
  const large = createLargeSelections(async ({ subscribersMin }) => {
    counted.push(Number(subscribersMin));
    await mayEnd;
    return {} as SelectionView;
  }, clock);
  const statisticsFor = (tenant: number, subscribersMin: number) =>
    runFor(tenant, null, () => large.describe({ ...NO_FILTER, subscribersMin }));
  const greedy = [11, 12, 13, 14, 15].map((min) => statisticsFor(1, min));
  await expect(statisticsFor(1, 16)).rejects.toMatchObject({ code: "throttled" });
  const modest = statisticsFor(2, 21);
  await new Promise((done) => setImmediate(done));
  expect(counted).toEqual([11, 21]);
  resolve();
  await Promise.all([...greedy, modest]);
  expect(counted).toEqual([11, 21, 12, 13, 14, 15]);
});

test("large selections are counted one at a time, at most once a minute, and only a few may wait", async () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const counting: { filter: CatalogFilter; end: (view: SelectionView) => void }[] = [];
  const large = createLargeSelections((filter) => {
    const { promise, resolve } = Promise.withResolvers<SelectionView>();
    counting.push({ filter, end: resolve });
    return promise;
  }, clock);
  const view = (channels: number): SelectionView => ({
    ...{
      channels,
      subscribers: { sum: 0, median: null, deciles: [] },
      categories: [],
      territories: [],
    },
  });
  const filter = (subscribersMin: number) => ({ ...NO_FILTER, subscribersMin });
  const waiting = [1, 2, 3, 4, 5].map((min) => large.describe(filter(min)));
  const same = large.describe(filter(1));
  await expect(large.describe(filter(6))).rejects.toMatchObject({ code: "throttled" });
  await new Promise((done) => setImmediate(done));
  for (const [at, one] of waiting.entries()) {
    expect(counting).toHaveLength(at + 1);
    counting[at]?.end(view(at));
    expect(await one).toEqual(view(at));
    await new Promise((done) => setImmediate(done));
  }
  expect(await same).toEqual(view(0));
  expect(await large.describe(filter(1))).toEqual(view(0));
  clock.advance(60_000);
  const later = large.describe(filter(1));
  await new Promise((done) => setImmediate(done));
  counting.at(-1)?.end(view(7));
  expect(await later).toEqual(view(7));
});
