import { afterAll, beforeAll, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectFaults, expectOk, imported } from "../../support/expectations.ts";

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

test("a selection of many has the statistics that its channels have", async () => {
  const many = await startAppliance();
  try {
    const rows = Array.from({ length: 20_050 }, (_, at) => ({
      id: at + 1,
      subscribers: (at * 7919) % 30_011,
      category: at % 3 === 0 ? "science" : "news",
      territory: at % 5 === 0 ? "kazan" : null,
      title: at % 7 === 0 ? `Редкий ёж ${at}` : `Общий ${at}`,
    }));
    await imported(many, "channels", rows);
    type Row = (typeof rows)[number];
    const selections: [query: string, isIn: (row: Row) => boolean][] = [
      ["", () => true],
      ["category=science", ({ category }) => category === "science"],
      ["q=ЕЖ 7", ({ title }) => title.includes("ёж 7")],
      ["subscribers_min=25000&a_plus=false", ({ subscribers }) => subscribers >= 25_000],
      [
        "subscribers_max=100&q=общий",
        ({ subscribers, title }) => subscribers <= 100 && title.includes("Общий"),
      ],
    ];
    for (const [query, isIn] of selections) {
      const own = rows.filter(isIn);
      const share = (slug: string, list: Row[]) => ({
        slug,
        channels: list.length,
        subscribers: list.reduce((all, { subscribers }) => all + subscribers, 0),
      });
      const { body } = await expectOk(many, `${STATS}?${encodeURI(query)}`);
      const all = share("all", own);
      expect([body.channels, body.subscribers.sum]).toEqual([all.channels, all.subscribers]);
      const inKazan = share(
        "kazan",
        own.filter(({ territory }) => territory !== null),
      );
      expect(body.territories).toContainEqual(inKazan);
      expect(body.territories).toContainEqual({ ...inKazan, slug: "russia" });
      for (const slug of new Set(own.map(({ category }) => category))) {
        const inCategory = own.filter(({ category }) => category === slug);
        expect(body.categories).toContainEqual(share(slug, inCategory));
      }
    }
  } finally {
    await many.close();
  }
});
