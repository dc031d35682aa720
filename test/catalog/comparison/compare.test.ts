import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectOk,
  expectRefusal,
  imported,
} from "../../support/expectations.ts";

/** Today is 2026-11-20 by the fake clock. */
let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one", subscribers: 1000 }),
    channel(2, { handle: "two" }),
    channel(3, { is_public: false, handle: "three" }),
  ]);
});
afterEach(() => appliance.close());

const COMPARE = "/v1/msgr/channels/compare/";
const NOVEMBER = "from=2026-11-01&to=2026-11-10";

const EMPTY = {
  ...{ from: "2026-11-01", to: "2026-11-10", subscribers_first: null, subscribers_last: null },
  ...{ growth: null, growth_percent: null, posts: 0, ads: 0, views: null, views_mean: null },
  ...{ views_median: null, err: null, best_post: null },
};

async function filled(): Promise<void> {
  await imported(appliance, "stats", [
    { channel: 1, day: "2026-10-31", subscribers: 1 },
    { channel: 1, day: "2026-11-03", subscribers: 800 },
    { channel: 1, day: "2026-11-09", subscribers: 1000 },
    { channel: 1, day: "2026-11-11", subscribers: 5000 },
  ]);
  const post = (msgr_post_id: number, published_at: string, more: object) => ({
    ...{ channel: 1, msgr_post_id, published_at, text: `post ${msgr_post_id}` },
    ...more,
  });
  await imported(appliance, "posts", [
    post(1, "2026-10-31T23:59:59+03:00", { views: 9999 }),
    post(2, "2026-11-01T00:00:00+03:00", { views: 100, is_ad: true }),
    post(3, "2026-11-05T12:00:00+03:00", { views: 301 }),
    post(4, "2026-11-06T12:00:00+03:00", { views: 301 }),
    post(5, "2026-11-07T12:00:00+03:00", {}),
    post(6, "2026-11-10T23:59:59+03:00", { views: 102 }),
    post(7, "2026-11-11T00:00:00+03:00", { views: 9999 }),
  ]);
}

test("a comparison has exactly the contract's fields, and its days last from midnight to midnight in Moscow", async () => {
  await filled();
  const { body } = await expectOk(appliance, `${COMPARE}?channels=1&${NOVEMBER}`);
  const { body: best } = await expectOk(
    appliance,
    "/v1/msgr/channels/1/posts/?from=2026-11-06&to=2026-11-06",
  );
  expect(body).toEqual({
    results: [
      {
        ...{ channel: 1, from: "2026-11-01", to: "2026-11-10" },
        ...{ subscribers_first: 800, subscribers_last: 1000, growth: 200, growth_percent: 25 },
        // A post with unknown views counts as a post only; of the two most viewed, the newer is shown.
        ...{ posts: 5, ads: 1, views: 804, views_mean: 201, views_median: 202, err: 20.1 },
        best_post: best.results[0],
      },
    ],
  });
  expect(Object.keys(body.results[0])).toEqual([
    ...["channel", "from", "to", "subscribers_first", "subscribers_last", "growth"],
    ...[
      "growth_percent",
      "posts",
      "ads",
      "views",
      "views_mean",
      "views_median",
      "err",
      "best_post",
    ],
  ]);
});

test("channels are named by number or handle, come once each in that order, and cost one unit together", async () => {
  await filled();
  const answer = await expectOk(appliance, `${COMPARE}?channels=@Two,1,two,%20ONE&${NOVEMBER}`);
  expect(answer.body.results.map(({ channel }: { channel: number }) => channel)).toEqual([2, 1]);
  expect(answer.body.results[0]).toEqual({ channel: 2, ...EMPTY });
  expect(answer.headers.get("x-request-cost") ?? "1").toBe("1");
});

describe("without bounds", () => {
  const bounds = async (query: string, key?: string) => {
    const { body } = await expectOk(appliance, `${COMPARE}?channels=1,2${query}`, key);
    const [{ from, to, growth }] = body.results;
    return [from, to, growth];
  };

  test("growth is the same as in the metrics: from the reading 30 days before the last one to the last", async () => {
    await filled();
    await imported(appliance, "stats", [
      { channel: 1, day: "2026-10-17", subscribers: 7 },
      { channel: 1, day: "2026-10-18", subscribers: 20 },
      { channel: 1, day: "2026-11-17", subscribers: 5500 },
    ]);
    await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
    expect(await bounds("")).toEqual(["2026-10-18", "2026-11-17", 5480]);
    const { body } = await expectOk(appliance, "/v1/msgr/channels/1/?include=metrics");
    expect(body.metrics.growth_30d).toBe(5480);
    // Cut to the days that the plan shows.
    const { key } = await appliance.customer({ plan: "test" });
    expect(await bounds("", key)).toEqual(["2026-10-22", "2026-11-17", 5499]);
  });

  test("a missing bound follows from the other one", async () => {
    await filled();
    expect(await bounds("&to=2026-11-10")).toEqual(["2026-10-11", "2026-11-10", 999]);
    expect(await bounds("&to=2025-11-10")).toEqual(["2025-10-11", "2025-11-10", null]);
    expect(await bounds("&from=2026-11-03")).toEqual(["2026-11-03", "2026-11-20", 4200]);
  });
});

test("empty items of the list are ignored, and links are accepted", async () => {
  const { body } = await expectOk(
    appliance,
    `${COMPARE}?channels=1,,https://t.me/two,&${NOVEMBER}`,
  );
  expect(body.results.map(({ channel }: { channel: number }) => channel)).toEqual([1, 2]);
  await expectFaults(appliance, `${COMPARE}?channels=,`, {
    channels: "This list may not be empty.",
  });
});

describe("a 400 names what cannot be compared:", () => {
  test("unknown and hidden channels", async () => {
    const answer = await appliance.get(`${COMPARE}?channels=1,99,three,@nobody`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      channels: [
        "There is no channel 99.",
        "There is no channel three.",
        "There is no channel @nobody.",
      ],
    });
  });

  test("more than 20 channels, none at all, or an invalid period", async () => {
    const many = Array.from({ length: 21 }, (_, at) => at).join(",");
    await expectFaults(appliance, `${COMPARE}?channels=${many}`, {
      channels: "Ensure this field has no more than 20 elements.",
    });
    await expectFaults(appliance, COMPARE, { channels: "This field is required." });
    await expectFaults(appliance, `${COMPARE}?channels=1&from=2026-11-02&to=2026-11-01`, {
      to: "The period ends before it starts.",
    });
    await expectFaults(appliance, `${COMPARE}?channels=1&from=2025-11-01&to=2026-11-02`, {
      to: "Ensure the period is at most 366 days.",
    });
    await expectOk(appliance, `${COMPARE}?channels=1&from=2025-11-01&to=2026-11-01`);
  });
});

test("the Test plan compares the last 30 days, and shows no best post", async () => {
  await filled();
  const { key } = await appliance.customer({ plan: "test" });
  await expectRefusal(
    appliance,
    `${COMPARE}?channels=1&from=2026-10-21`,
    403,
    "tariff_required",
    key,
  );
  const { body } = await expectOk(appliance, `${COMPARE}?channels=1&from=2026-10-22`, key);
  expect(body.results[0]).toMatchObject({ posts: 7, best_post: null });
});

test("a handle that is part of a method's address is refused", async () => {
  for (const handle of ["compare", "Stats", "resolve"]) {
    const { rejects } = await appliance.importRows("channels", [channel(9, { handle })]);
    expect(rejects[0]?.column).toBe("handle");
  }
});
