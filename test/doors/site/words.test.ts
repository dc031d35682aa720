import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, type Visitor } from "../../support/visitor.ts";
import { callsWith, created } from "../../support/webhook-calls.ts";

/** `/account/posts/word/`: the chart of a word, who writes it, and the alert made of it. */

const PAGE = "/account/posts/word/";

let appliance: Appliance;
let visitor: Visitor;
let key: string;

async function startOn(plan: "test" | "growth"): Promise<void> {
  const customer = await appliance.customer({ plan, access: "read_write" });
  ({ key } = customer);
  const { organizationId } = customer;
  visitor = await signedInMember(appliance, organizationId, "owner", "nina@example.com", "en");
}

beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { title: "<Первый>", category: "science" }),
    channel(2, { title: "Второй" }),
  ]);
  const views = [10, 4321, undefined, 7];
  await imported(
    appliance,
    "posts",
    Array.from({ length: 4 }, (_, at) => ({
      ...{ id: at + 1, channel: at < 3 ? 1 : 2, text: `<b>О домах</b> номер ${at + 1}` },
      ...{ views: views[at], published_at: `2026-11-${10 + at}T10:00:00+03:00` },
    })),
  );
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

test("shows posts by day, who writes most, and the first and the most read posts", async () => {
  await startOn("growth");
  const { html, status } = await visitor.get(`${PAGE}?q=дом&from=2026-11-09&to=2026-11-20`);
  expect(status).toBe(200);
  expect(html).toContain("Posts: 4, channels: 2, views: 4,338");
  expect(html).toContain('data-chart="periods" data-from="2026-11-09" data-to="2026-11-20"');
  expect(html.match(/<th scope="row" data-value="2026-11-\d\d">/g)).toHaveLength(12);
  // A day without posts, and one whose views are unknown.
  expect(html).toMatch(
    /data-value="2026-11-09">[\s\S]*?<td class="number" data-value="0">0<\/td><td class="number" data-value="">—/,
  );
  expect(html).toMatch(
    /data-value="2026-11-12">[\s\S]*?<td class="number" data-value="1">1<\/td><td class="number" data-value="">—/,
  );
  const [, top = "", first = "", mostRead = ""] = html.split("<h3>").slice(1);
  expect(top.indexOf("&lt;Первый&gt;")).toBeLessThan(top.indexOf("Второй"));
  expect(first.match(/номер \d/g)).toEqual(["номер 1", "номер 2", "номер 3"]);
  expect(mostRead.match(/номер \d/g)).toEqual(["номер 2", "номер 1", "номер 4"]);
  expect(html).not.toContain("<b>О");
});

test("a chart by week says so, and which week is not over yet", async () => {
  await startOn("growth");
  const weeks = await visitor.get(`${PAGE}?q=дом&group=week&from=2026-11-09`);
  expect(weeks.html).toContain('<tr><th scope="col">Week</th>');
  expect(weeks.html.match(/not over yet/g)).toHaveLength(1);
  const over = await visitor.get(`${PAGE}?q=дом&from=2026-11-09&to=2026-11-19`);
  expect(over.html).toContain('<tr><th scope="col">Day</th>');
  expect(over.html).not.toContain("not over yet");
});

test("one click makes an alert with the same words and filters", async () => {
  await startOn("growth");
  const { id: webhook } = await created(callsWith(appliance, key), { channels: [1] });
  const asked = "q=дом+%7C+дача&category=science&is_ad=false&from=2026-11-01";
  const { html } = await visitor.get(`${PAGE}?${asked}`);
  const form =
    /<form method="post" action="\/account\/alerts\/"[\s\S]*?<\/form>/.exec(html)?.[0] ?? "";
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, value],
  );
  const { csrf: _, ...sent } = Object.fromEntries(fields) as Record<string, string>;
  const { status } = await visitor.post("/account/alerts/", sent);
  expect(status).toBe(303);
  const { body } = await appliance.get("/v1/msgr/alerts/", key);
  expect(body.results).toMatchObject([
    {
      name: "дом | дача",
      q: "дом | дача",
      webhook,
      category: "science",
      is_ad: false,
      channel: null,
    },
  ]);
});

test("without a webhook, the button leads to the page that says what an alert takes", async () => {
  await startOn("growth");
  const { html } = await visitor.get(`${PAGE}?q=дом`);
  expect(html).toContain('<a href="/account/alerts/">Make this an alert</a>');
});

test("what cannot be answered is said beside the form", async () => {
  await startOn("growth");
  const backwards = await visitor.get(`${PAGE}?q=дом&from=2026-11-02&to=2026-11-01`);
  expect(backwards.status).toBe(400);
  expect(backwards.html).toContain("The period ends before it starts.");
  const nobody = await visitor.get(`${PAGE}?q=зумпл`);
  expect(nobody.html).toContain("Nobody wrote this in the period.");
  await startOn("test");
});

test("a plan without posts is told so", async () => {
  await startOn("test");
  const { html, status } = await visitor.get(`${PAGE}?q=дом`);
  expect(status).toBe(200);
  expect(html).toContain("plan does not include posts");
});
