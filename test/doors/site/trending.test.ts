import { afterAll, beforeAll, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { makeTrends } from "../../../src/catalog/trends/make-trends.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

const PATH = "/account/trending/";
let appliance: Appliance;
let visitor: Visitor;

beforeAll(async () => {
  appliance = await startAppliance();
  const { organizationId } = await appliance.customer();
  await addPerson(appliance, { organizationId, email: "olga@example.com", name: "Olga" });
  await imported(appliance, "channels", [
    channel(1, { title: "Slow", category: "science", subscribers: 1010 }),
    channel(2, { title: "Fast", category: "news", territory: "kazan", subscribers: 2000 }),
    channel(3, { title: "Falls", category: "science", subscribers: 900 }),
    channel(4, { title: "Tiny", subscribers: 50 }),
  ]);
  const rows = [1000, 1000, 1000, 1].flatMap((before, at) => [
    { channel: at + 1, day: "2026-10-20", subscribers: before },
    { channel: at + 1, day: "2026-11-19", subscribers: [1010, 2000, 900, 50][at] },
  ]);
  await imported(appliance, "stats", rows);
  await imported(appliance, "posts", [
    { channel: 2, msgr_post_id: 1, published_at: "2026-11-10T12:00:00Z", text: "a", views: 500 },
  ]);
  await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
  visitor = await signedInVisitor(appliance, "olga@example.com");
});
afterAll(() => appliance.close());

const shown = async (query: string): Promise<string[]> => {
  const { html, status } = await visitor.get(`${PATH}${query}`);
  expect(status).toBe(200);
  return [...html.matchAll(/id="c(\d+)"/g)].map(([, id = ""]) => id);
};

test("shows growing channels, fastest first, without small and shrinking ones", async () => {
  expect(await shown("")).toEqual(["2", "1"]);
  expect(await shown("?category=science")).toEqual(["1"]);
  expect(await shown("?territory=kazan")).toEqual(["2"]);
  expect(await shown("?category=auto")).toEqual([]);
  expect(await shown("?ordering=-growth_30d")).toEqual(["2", "4", "1"]);
  // Other orderings are not trends.
  expect(await shown("?ordering=-subscribers")).toEqual(["2", "1"]);
});

test("shows each channel's growth, ERR and line of latest readings", async () => {
  const { html } = await visitor.get(PATH);
  expect(html).toContain("+1,000 (+100%)");
  expect(html).toContain("25%");
  expect(html).toContain("<svg");
});

test("lists words that rise below the channels, and says when that was found out", async () => {
  expect((await visitor.get(PATH)).html).toContain("Not made yet");
  const { db } = appliance.app.domains;
  const many = Array.from({ length: 6 }, (_, at) => channel(at + 11));
  await imported(appliance, "channels", many);
  const posts = many.flatMap(({ id }) =>
    ["2026-11-10T12:00:00Z обычный день", "2026-11-20T08:00:00Z потоп, чёрная дыра"].map(
      (one, at) => {
        const [published_at = "", ...text] = one.split(" ");
        return { channel: id, msgr_post_id: at + 1, published_at, text: text.join(" ") };
      },
    ),
  );
  await imported(appliance, "posts", posts);
  await makeTrends(db, appliance.ports.clock);
  const { html } = await visitor.get(PATH);
  expect(html).toContain(">потоп</bdi>");
  expect(html).toContain(`word/?${new URLSearchParams({ q: '"черная дыра"' })}`);
  expect(html).toContain("As of");
  expect(html).toContain("Only 1 of the 14 days to compare with");
});

test("an unknown category is refused", async () => {
  expect((await visitor.get(`${PATH}?category=nothing`)).status).toBe(400);
});

test("the catalog's page has the same numbers, orderings and filters", async () => {
  const { html } = await visitor.get("/account/channels/?ordering=-growth_30d&growth_30d_min=1");
  const ids = [...html.matchAll(/id="c(\d+)"/g)].map(([, id = ""]) => id);
  expect(ids).toEqual(["2", "4", "1"]);
  expect(html).toContain("+1,000 (+100%)");
  expect(html).toContain('name="err_30d_min"');
});

test("the channel's page shows its ERR and reach", async () => {
  const { html } = await visitor.get("/account/channels/2/");
  const text = html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  expect(text).toContain("Views per post 500 25% of subscribers, 30 days");
});
