import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { channel, imported } from "../../../support/expectations.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance({}, undefined, { ratesAsShipped: true });
});
afterEach(() => appliance.close());

const page = async (path = "/"): Promise<string> => (await appliance.request(path)).body;

test("an unknown address is a page with a link for a browser, and JSON for a program", async () => {
  const browser = { accept: "text/html,*/*;q=0.8", "accept-language": "ru" };
  for (const [path, root] of [
    ["/docs/webhook/", "../../"],
    ["/nothing", "./"],
  ] as const) {
    const shown = await appliance.request(path, { headers: browser });
    expect([shown.status, shown.headers.get("x-request-id")]).toEqual([404, expect.any(String)]);
    expect(shown.body).toContain(`По этому адресу страницы нет. <a href="${root}">`);
    expect((await appliance.request(path)).body).toMatchObject({ code: "not_found" });
  }
  for (const path of ["/v1/nothing/", `/${"a/".repeat(2_000)}`]) {
    const { status, body } = await appliance.request(path, { headers: browser });
    expect([status, body.code]).toEqual([404, "not_found"]);
  }
});

test("the start page shows row counts, the largest categories and the plans", async () => {
  // Requested before there is any data, as after a first start.
  expect(await page()).toContain("<li>Channels <strong>0</strong></li>");
  await imported(appliance, "channels", [
    channel(1, { category: "news" }),
    channel(2, { category: "news" }),
    channel(3, { category: "science" }),
  ]);
  const html = await page();
  expect(html).toContain("<li>Channels <strong>3</strong></li>");
  expect(html).toContain("<li>Posts <strong>0</strong></li>");
  const [, largest = ""] = /<table class="largest">(.*?)<\/table>/s.exec(html) ?? [];
  const categories = [...largest.matchAll(/<td class="number">(\d+)<\/td>/g)];
  expect(categories.map(([, count]) => Number(count))).toEqual([2, 1]);
  const [, growth = ""] = /<th scope="row">Growth<\/th>(.*?)<\/tr>/s.exec(html) ?? [];
  const cells = [...growth.matchAll(/<td(?: class="number")? data-label="([^"]+)">([^<]*)<\/td>/g)];
  expect(cells.map(([, label, cell]) => [label, cell])).toEqual([
    ["Requests per second", "10"],
    ["Request units per 30 days", "150,000"],
    ["Posts", "yes"],
    ["History", "all"],
    ["Webhooks", "1 × 500 channels"],
    ["Alerts", "10"],
    ["Bulk export", "no"],
  ]);
});

test("the start page links to the account, the documentation and the OpenAPI document, in both languages", async () => {
  for (const [path, plan] of [
    ["/", "Growth"],
    ["/?lang=ru", "Рост"],
  ] as const) {
    const html = await page(path);
    for (const to of ["account/", "docs/", "docs/json"]) expect(html).toContain(`<a href="${to}">`);
    expect(html).toContain(`<th scope="row">${plan}</th>`);
  }
  expect(await page("/?lang=ru")).toContain('<html lang="ru">');
});

test("a changed plan is shown at once", async () => {
  const { accounts } = appliance.app.domains;
  await accounts.changePlan("start", { requestsPerPeriod: 77_777 }, COMMAND_LINE);
  expect(await page()).toContain(">77,777</td>");
});
