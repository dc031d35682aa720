import { afterEach, beforeEach, expect, test } from "bun:test";
import { HtmlValidate } from "html-validate";
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

test("a language as a path leads to the start page in it", async () => {
  for (const path of ["/en", "/en/", "/ru/"]) {
    const { status, headers } = await appliance.request(path);
    expect([status, headers.get("location")]).toEqual([301, `/?lang=${path.slice(1, 3)}`]);
  }
});

const figure = (html: string, name: string): string | undefined =>
  new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`).exec(html)?.[1];

test("the start page shows how much data there is, how fresh it is, and the largest categories", async () => {
  // Requested before there is any data, as after a first start.
  const empty = await page();
  expect([figure(empty, "Channels"), figure(empty, "Latest post")]).toEqual(["0", "—"]);
  await imported(appliance, "channels", [
    channel(1, { category: "news", last_post_at: "2026-11-19T10:00:00Z" }),
    channel(2, { category: "news" }),
    channel(3, { category: "science" }),
  ]);
  appliance.ports.clock.advance(6_000);
  const html = await page();
  expect([figure(html, "Channels"), figure(html, "Posts")]).toEqual(["3", "0"]);
  expect(figure(html, "Latest post")).toContain("19 Nov");
  const [, chips = ""] = /<ul class="chips">(.*?)<\/ul>/s.exec(html) ?? [];
  expect([...chips.matchAll(/<small>(\d+)<\/small>/g)].map(([, count]) => count)).toEqual([
    ...["2", "1"],
  ]);
});

test("questions have real answers where the catalog is public, and only there", async () => {
  const rows = [channel(1, { title: "Большие новости", handle: "big_news", category: "news" })];
  await imported(appliance, "channels", rows);
  appliance.ports.clock.advance(6_000);
  expect(await page()).not.toContain("big_news");
  const open = await startAppliance({ KANALOG_PUBLIC: "cards" });
  await imported(open, "channels", rows);
  const { body } = await open.request("/?lang=ru");
  expect(body.match(/big_news\/"/g)?.length).toBe(2);
  await open.close();
});

test("the start page links to the account, the documentation and the OpenAPI document, in both languages", async () => {
  const validator = new HtmlValidate({
    extends: ["html-validate:standard"],
    rules: { "long-title": "off", "require-sri": "off" },
  });
  for (const [path, plan] of [
    ["/", "Growth"],
    ["/?lang=ru", "Рост"],
  ] as const) {
    const html = await page(path);
    for (const to of ["account/", "docs/", "docs/json"]) expect(html).toContain(` href="/${to}"`);
    expect(html).toContain(`<h3><bdi>${plan}</bdi></h3>`);
    const { results } = await validator.validateString(html);
    expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
  }
  expect(await page("/?lang=ru")).toContain('<html lang="ru">');
});

test("a changed plan is shown at once: its limits, words and price", async () => {
  const { accounts } = appliance.app.domains;
  await accounts.changePlan("start", { requestsPerPeriod: 77_777 }, COMMAND_LINE);
  await accounts.changeOffer(
    "start",
    {
      ...{ price: 199_000, currency: "RUB" },
      texts: { en: { name: "<b>Basic</b>", text: "For a start" }, ru: { name: "Базовый" } },
    },
    COMMAND_LINE,
  );
  await accounts.changeOffer(
    "growth",
    { price: 4_950, currency: "EUR", per: "year" },
    COMMAND_LINE,
  );
  await accounts.changeOffer("profi", { isOffered: false }, COMMAND_LINE);
  const html = await page();
  for (const text of [
    ...["77,777 request units", "&lt;b&gt;Basic&lt;/b&gt;", "For a start"],
    ...["₽1,990 a month", "€49.50 a year", "Price on request"],
  ]) {
    expect(html).toContain(text);
  }
  expect(html).not.toContain("Profi");
  expect(await page("/?lang=ru")).toContain(
    "1 990 ₽ в месяц".replaceAll(" ", "\u00A0").replace("₽\u00A0в\u00A0", "₽ в "),
  );
});

test("an offer that cannot be is refused, naming its field, and changes nothing", async () => {
  const { accounts } = appliance.app.domains;
  const before = await accounts.plans();
  for (const [change, field] of [
    [{ price: 1 }, "currency"],
    [{ price: 1.5, currency: "EUR" }, "price"],
    [{ price: -1, currency: "EUR" }, "price"],
    [{ price: 1, currency: "XX" }, "currency"],
    [{ buy: "link" }, "link"],
    [{ link: "javascript:alert(1)" }, "link"],
    [{ link: "http://pay.example.com/" }, "link"],
    [{ order: 1_001 }, "order"],
    [{ texts: { en: { name: "x".repeat(41) } } }, "name_en"],
    [{ texts: { ru: { text: "a\u0000b" } } }, "text_ru"],
    [{ texts: { ru: { price: "\u202Eb" } } }, "price_ru"],
  ] as const) {
    const refused = accounts.changeOffer("start", change, COMMAND_LINE);
    const error = await refused.then(
      () => null,
      (thrown) => thrown,
    );
    expect([error?.code, Object.keys(error?.fields ?? {})]).toEqual(["invalid", [field]]);
  }
  expect(await accounts.plans()).toEqual(before);
});
