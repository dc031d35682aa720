import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { inLanguage } from "../../../../src/doors/http/docs/reference/reference.ts";
import {
  type ApiDocument,
  fieldsOf,
  methodsOf,
} from "../../../../src/doors/http/docs/reference/reference-fields.ts";
import texts from "../../../../src/doors/http/docs/reference/texts.ru.json" with { type: "json" };
import titles from "../../../../src/doors/http/docs/reference/titles.ru.json" with { type: "json" };
import { apiMethods } from "../../../../src/verbs/methods/table.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { channel, imported } from "../../../support/expectations.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  seriousFaults,
  tooWide,
} from "../../../support/site-browser.ts";

/** The reference at `/docs/`, made of the OpenAPI document. */
const inBrowser = test.skipIf(CHROMIUM === undefined);
/** What a page and all that it loads may weigh, as sent. */
const BYTES_MAX = 100_000;

let appliance: Appliance;
let browser: Browser | null = null;
let address: string;
let key: string;
beforeAll(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0" });
  await imported(appliance, "channels", [channel(1, { handle: "first" }), channel(2)]);
  ({ key } = await appliance.customer());
  address = appliance.app.listen();
  if (CHROMIUM !== undefined) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await appliance.close();
});

const ids = apiMethods.map(({ operationId }) => operationId);

test("each method has a page in both languages, with its path, fields and answer; others have none", async () => {
  expect(Object.keys(titles).toSorted()).toEqual(ids.toSorted());
  for (const { operationId, title, path, parameters } of apiMethods) {
    for (const [language, shown] of [
      ["en", title],
      ["ru", titles[operationId as keyof typeof titles][0]],
    ] as const) {
      const { status, body } = await appliance.request(
        `/docs/methods/${operationId}/?lang=${language}`,
      );
      expect(status).toBe(200);
      expect(body).toContain(`<h1>${shown}</h1>`);
      expect(body).toContain(path.replace(/:(\w+)/g, "{$1}"));
      for (const name of Object.keys(parameters)) expect(body).toContain(`name="${name}"`);
      expect(body).not.toContain("undefined");
    }
  }
  for (const name of ["none", "__proto__", "%FF"]) {
    expect((await appliance.request(`/docs/methods/${name}/`)).status).toBe(404);
  }
});

test("each text of the document is said in Russian, and nothing is translated that it does not say", async () => {
  const { body } = await appliance.request("/docs/json");
  const methods = methodsOf(body as ApiDocument);
  const said = methods.flatMap(({ description, parameters, answer }) => [
    description.split("\n\n").at(-1) ?? "",
    ...[...parameters, ...fieldsOf(answer)].map((one) => one.description),
  ]);
  const cyrillic = /[а-яё]/i;
  for (const text of said) {
    if (text !== "") expect(inLanguage(text, "ru"), text).toMatch(cyrillic);
  }
  const all = said.join("\n");
  expect(Object.keys(texts).filter((text) => !all.includes(text))).toEqual([]);
  for (const [, description] of Object.values(titles)) expect(description).toMatch(cyrillic);
});

test("a page weighs less than 100 kB with all that it loads", async () => {
  const get = (path: string) =>
    appliance.app.server.handle(
      new Request(`http://localhost${path}`, { headers: { "accept-encoding": "gzip" } }),
    );
  for (const path of ["/docs/", ...ids.map((id) => `/docs/methods/${id}/`)]) {
    const html = await (await get(path)).text();
    const loaded = html.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g);
    let bytes = Buffer.byteLength(html);
    for (const [, file = ""] of loaded) {
      const { pathname } = new URL(file, `http://localhost${path}`);
      bytes += (await (await get(pathname)).bytes()).length;
    }
    expect(bytes, path).toBeLessThan(BYTES_MAX);
  }
});

test("the introduction is in the reader's language, with the same parts, and methods link to its errors", async () => {
  const [english = "", russian = ""] = await Promise.all(
    ["en", "ru"].map(async (lang) => (await appliance.request(`/docs/?lang=${lang}`)).body),
  );
  const codes = (page: string) => [
    ...new Set([...page.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code]) => code)),
  ];
  // The key's placeholder is a word.
  const ofBoth = codes(english).filter((code) => !code?.includes("Bearer"));
  expect(codes(russian)).toEqual(expect.arrayContaining(ofBoth));
  expect(english).toContain('id="errors"');
  expect(russian).toContain('id="ошибки"');
  const method = await appliance.request(`/docs/methods/${ids[0]}/?lang=ru`);
  expect(method.body).toContain("?lang=ru#ошибки");
});

inBrowser("a method is found by a field's name and tried in place, in both languages", async () => {
  for (const [lang, colorScheme, width] of [
    ["en", "light", 1440],
    ["ru", "dark", 390],
  ] as const) {
    const viewport = { width, height: 900 };
    const { page, faults, go, context } = await openWindow(browser as Browser, address, {
      ...{ viewport, colorScheme },
    });
    page.setDefaultTimeout(30_000);
    const begunMs = performance.now();
    await go(`/docs/?lang=${lang}`);
    expect(performance.now() - begunMs).toBeLessThan(2_000);
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
    await page.fill("nav.methods input", "subscribers_min catalog");
    const links = page.locator("nav.methods li li:visible a");
    expect(await links.count()).toBe(1);
    await links.first().click();
    await page.fill("#key", key);
    await page.fill("[name=limit]", "1");
    await page.click("form.try button");
    await page.waitForSelector("form.try pre.answer:not([hidden])");
    expect(await page.textContent("form.try output")).toStartWith("200 ·");
    expect(JSON.parse((await page.textContent("form.try pre.answer")) ?? "").results).toHaveLength(
      1,
    );
    expect(await page.textContent("[data-snippet]")).toContain(`Bearer ${key}`);
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
    await go(`/docs/methods/msgr_channels_retrieve/?lang=${lang}`);
    await page.fill("[name=channel]", "first");
    await page.click("form.try button");
    await page.waitForSelector("form.try pre.answer:not([hidden])");
    expect(await page.textContent("form.try pre.answer")).toContain('"handle": "first"');
    expect(faults).toEqual([]);
    await context.close();
  }
});
