import { afterEach, beforeEach, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { expectOk, idsOf, pathOfNext } from "../../support/expectations.ts";
import { MINUTE_MS, type Pushing, startPushing } from "../../support/pushing.ts";

/**
 * From the next request on, a post that was taken down is in no answer, including paging and exports in
 * progress.
 */

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const MENTIONING = "Ипотека от @target";
const COMPARE = "/v1/msgr/channels/compare/?channels=3&from=2026-11-01&to=2026-11-30";

const get = (path: string) => expectOk(pushing.appliance, path, pushing.customer.key);
const exported = async (query: string): Promise<number[]> => {
  const path = `/v1/msgr/export/posts/?format=ndjson&${query}`;
  const { body } = await pushing.appliance.request(path, { key: pushing.customer.key });
  const lines: string[] = body.split("\n").filter((line: string) => line !== "");
  return lines.map((line) => JSON.parse(line).id);
};

/** Methods that list posts of channel 3, newest first or in the export's order. */
const LISTS: Record<string, () => Promise<number[]>> = {
  list: async () => idsOf(await get("/v1/msgr/channels/3/posts/")),
  search: async () => idsOf(await get("/v1/msgr/posts/search/?q=ипотеку")),
  "search by views": async () =>
    idsOf(await get("/v1/msgr/posts/search/?q=ипотеку&ordering=-views")),
  "search by relevance": async () =>
    idsOf(await get("/v1/msgr/posts/search/?q=ипотеку&ordering=-relevance")),
  mentions: async () => idsOf(await get("/v1/msgr/channels/target/mentions/")),
  export: async () => exported(""),
  "export by channel": async () => exported("channel=3"),
};

const sorted = (ids: readonly number[]): number[] => ids.toSorted((one, other) => one - other);

async function stored(): Promise<void> {
  await pushing.appliance.importRows("channels", [{ id: 1, handle: "target" }]);
  for (const id of [1, 2, 3, 4, 5]) {
    await pushing.read([id], { channel: 3, text: MENTIONING, views: id === 4 ? 1_000 : 10 * id });
    pushing.appliance.ports.clock.advance(1_000);
  }
}

test("a post that is taken down is gone from lists, searches, mentions, exports, comparisons and previews", async () => {
  const { app } = pushing.appliance;
  await stored();
  const body = { name: "A", q: "ипотека", webhook: pushing.id };
  const alert = (await pushing.call("POST", "/v1/msgr/alerts/", body)).body.id;
  const preview = async () =>
    (await pushing.call("POST", `/v1/msgr/alerts/${alert}/preview/`)).body;
  for (const [name, list] of Object.entries(LISTS)) {
    expect(sorted(await list()), name).toEqual([1, 2, 3, 4, 5]);
  }
  expect((await get(COMPARE)).body.results[0]).toMatchObject({ posts: 5, best_post: { id: 4 } });
  expect((await preview()).matches).toBe(5);

  await app.domains.posts.delete([4], COMMAND_LINE);
  for (const [name, list] of Object.entries(LISTS)) {
    expect(sorted(await list()), name).toEqual([1, 2, 3, 5]);
  }
  const [compared] = (await get(COMPARE)).body.results;
  expect(compared).toMatchObject({ posts: 4, views: 110, views_median: 25, best_post: { id: 5 } });
  const { matches, results } = await preview();
  expect([matches, results.map(({ id }: { id: number }) => id)]).toEqual([4, [5, 3, 2, 1]]);
  expect((await get("/v1/msgr/posts/search/?q=ипотеку")).body.matches).toBe(4);
  expect((await pushing.call("GET", "/v1/msgr/posts/4/")).status).toBe(404);
});

test("it is gone from the pages that follow a page, wherever that ended", async () => {
  await stored();
  const firstPages: [path: string, next: string][] = [];
  for (const path of [
    "/v1/msgr/channels/3/posts/?limit=2",
    "/v1/msgr/posts/search/?q=ипотеку&limit=2",
    "/v1/msgr/channels/target/mentions/?limit=2",
  ]) {
    const first = await get(path);
    expect(idsOf(first), path).toEqual([5, 4]);
    firstPages.push([path, pathOfNext(first.body.next)]);
  }
  // The last post of the first page, and one of the next.
  await pushing.appliance.app.domains.posts.delete([4, 3], COMMAND_LINE);
  for (const [path, next] of firstPages) expect(idsOf(await get(next)), path).toEqual([2, 1]);
  expect(await exported("cursor=3")).toEqual([5]);
  expect(await exported("channel=3&cursor=3:3")).toEqual([5]);
});

test("it is in no event that an alert has not made yet", async () => {
  const body = { name: "A", q: "ипотека", webhook: pushing.id };
  await pushing.call("POST", "/v1/msgr/alerts/", body);
  await stored();
  await pushing.appliance.app.domains.posts.delete([4], COMMAND_LINE);
  await pushing.pass(MINUTE_MS);
  const sent = pushing
    .attempts()
    .filter(({ headers }) => headers["x-service-event"] === "post.matched")
    .map(({ body }) => JSON.parse(body).posts.map(({ id }: { id: number }) => id));
  expect(sent).toEqual([[1, 2, 3, 5]]);
});

test("it is gone from the metrics after the next night", async () => {
  const { app, ports } = pushing.appliance;
  await stored();
  ports.clock.advance(24 * 60 * MINUTE_MS);
  const compute = () => computeMetrics(app.domains.db, ports.clock);
  const metrics = async () => (await get("/v1/msgr/channels/3/?include=metrics")).body.metrics;
  await compute();
  expect(await metrics()).toMatchObject({ posts_30d: 5, reach_30d: 222 });
  await app.domains.posts.delete([4], COMMAND_LINE);
  await compute();
  expect(await metrics()).toMatchObject({ posts_30d: 4, reach_30d: 28 });
});
