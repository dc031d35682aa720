import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { CHROMIUM, launchBrowser, signIn } from "../../support/site-browser.ts";
import { HANGS_AFTER_MS } from "../../support/until.ts";
import { addPerson } from "../../support/visitor.ts";
import { callsWith, created, deliverPost, MINUTE_MS, pass } from "../../support/webhook-calls.ts";

/** The explorer and the webhooks' pages in a real browser, if the machine has one. */
let appliance: Appliance;
let address: string;
let browser: Browser | null = null;
let ownKey: string;
/** A browser context of somebody who is signed in. */
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;

beforeAll(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0" });
  await imported(appliance, "channels", [
    channel(1, { title: "Вестник науки", handle: "science_news", description: "About science" }),
    channel(2, { title: "Городские новости" }),
  ]);
  const today = dayOf(appliance.ports.clock.now());
  const rows = Array.from({ length: 40 }, (_, ago) => ({
    channel: 1,
    day: formatDay(today - ago),
    subscribers: 1000 + ago,
    views: 50 * ago,
  }));
  await imported(appliance, "stats", rows);
  const customer = await appliance.customer({ access: "read_write" });
  ownKey = customer.key;
  await created(callsWith(appliance, customer.key), { channels: [1, 2] });
  await pass(appliance, MINUTE_MS, MINUTE_MS);
  await deliverPost(appliance, 1);
  await addPerson(appliance, {
    organizationId: customer.organizationId,
    role: "owner",
    email: "olga@example.com",
  });
  address = appliance.app.listen();
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  const context = await browser.newContext({ baseURL: address });
  await signIn(await context.newPage(), "olga@example.com");
  state = await context.storageState();
  await context.close();
});
afterAll(async () => {
  await browser?.close();
  await appliance.close();
});

async function signedIn(
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<{ page: Page; faults: string[]; context: BrowserContext }> {
  if (browser === null) throw new Error("no browser");
  const context = await browser.newContext({ storageState: state, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(HANGS_AFTER_MS);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  return { page, faults, context };
}

const inBrowser = test.skipIf(CHROMIUM === undefined);

inBrowser(
  "the catalog is searched while somebody types, and the address keeps the search",
  async () => {
    const { page, faults, context } = await signedIn();
    await page.goto(`${address}/account/channels/`);
    await page.type("[name=q]", "вестник", { delay: 20 });
    // On a busy machine, partial input is searched as well.
    await page.waitForURL((url) => url.searchParams.get("q") === "вестник");
    expect(await page.locator("#results tbody tr").allTextContents()).toHaveLength(1);
    expect(await page.locator("#results-summary").textContent()).toBe("Channels found: 1");
    await page.fill("[name=q]", "ве");
    await page.getByText("Type at least three characters.").first().waitFor();
    await page.fill("[name=q]", "");
    await page.locator("#results tbody tr").nth(1).waitFor();
    await page.goto(`${address}/account/channels/?a_plus=false`);
    await page.getByText("More filters (1)", { exact: true }).click();
    await page.selectOption("[name=a_plus]", "");
    await page.getByText("More filters", { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  },
);

inBrowser("charts have the page's colours, and Moscow's days in any time zone", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, faults, context } = await signedIn({
      colorScheme,
      timezoneId: "America/Los_Angeles",
    });
    await page.goto(`${address}/account/channels/1/`);
    expect(await page.locator("[data-chart] canvas").count()).toBe(1);
    // A canvas draws colours that it does not understand in black.
    const inks = await page.evaluate(`(() => {
        const canvas = document.querySelector("canvas");
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let blue = 0;
        for (let at = 0; at < pixels.length; at += 4) {
          if (pixels[at + 3] > 200 && pixels[at + 2] - pixels[at] > 60) blue += 1;
        }
        return blue;
      })()`);
    expect(inks, colorScheme).toBeGreaterThan(200);
    const box = await page.locator("[data-chart] .u-over").first().boundingBox();
    if (box === null) throw new Error("no chart");
    await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
    const day = await page.locator(".u-legend .u-value").first().textContent();
    expect(day).toBe("20 Nov 2026");
    expect(faults).toEqual([]);
    await context.close();
  }
});

inBrowser(
  "a chart shows the whole period and its longest numbers, however few days are known",
  async () => {
    await imported(appliance, "channels", [channel(9)]);
    const stats = { channel: 9, subscribers: 1_234_567_890, views: 1 };
    await imported(appliance, "stats", [
      { ...stats, day: "2026-11-10" },
      { ...stats, day: "2026-11-12", subscribers: 1_234_000_000 },
    ]);
    const { page, faults, context } = await signedIn();
    await page.goto(`${address}/account/channels/9/?days=90`);
    const plot = await page.locator("[data-chart] .u-over").first().boundingBox();
    const all = await page.locator("[data-chart] .u-wrap").first().boundingBox();
    if (plot === null || all === null) throw new Error("no chart");
    const label = await page.evaluate(`(() => {
      const context = document.createElement("canvas").getContext("2d");
      context.font = "12px system-ui";
      return context.measureText("1,234,567,000").width;
    })()`);
    expect(plot.x - all.x).toBeGreaterThan(Number(label));
    await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
    const point = await page.locator("[data-chart] .u-cursor-pt").first().boundingBox();
    // The period ends with the last reading; 10 November is two days earlier.
    const at = (Number(point?.x) + Number(point?.width) / 2 - plot.x) / plot.width;
    expect(at).toBeCloseTo(87.5 / 90, 2);
    expect(faults).toEqual([]);
    await context.close();
  },
);

inBrowser("errors have the same colour in charts as in tables", async () => {
  const { page, faults, context } = await signedIn();
  await appliance.get("/v1/msgr/channels/404404/", ownKey);
  await page.goto(`${address}/account/`);
  const [drawn, written] = (await page.evaluate(`[
    getComputedStyle([...document.querySelectorAll('[data-chart="usage-days"] .u-series')]
      .find((one) => one.textContent.startsWith("Errors"))
      .querySelector(".u-marker")).borderTopColor,
    getComputedStyle(document.querySelector("td.failed")).color,
  ]`)) as string[];
  expect(drawn).toBe(written as string);
  expect(faults).toEqual([]);
  await context.close();
});

inBrowser(
  "a chart's line is interrupted by days without a reading, and a reading between them is a point",
  async () => {
    await imported(appliance, "channels", [channel(8)]);
    const reading = (day: string) => ({ channel: 8, subscribers: 1_000, views: null, day });
    await imported(
      appliance,
      "stats",
      ["2026-01-01", "2026-01-02", "2026-01-20", "2026-11-19", "2026-11-20"].map(reading),
    );
    const { page, faults, context } = await signedIn();
    await page.goto(`${address}/account/channels/8/?days=all`);
    // Columns of the canvas in which the line is visible, as fractions of its width.
    const seen = (await page.evaluate(`(() => {
    const canvas = document.querySelector("canvas");
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const columns = new Set();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 200 && data[at + 2] - data[at] > 60) columns.add((at / 4) % width);
    }
    return [...columns].map((column) => column / width);
  })()`)) as number[];
    // Two days in January, the 20th alone, and two in November.
    const parts = seen.toSorted((one, other) => one - other);
    const starts = parts.filter((part, at) => part - (parts[at - 1] ?? -1) > 0.02);
    expect(starts).toHaveLength(3);
    expect(faults).toEqual([]);
    await context.close();
  },
);

inBrowser("a webhook that staff disabled stays disabled, whatever is clicked", async () => {
  const { page, context } = await signedIn();
  await appliance.app.domains.webhooks.disable(1, "", COMMAND_LINE);
  await page.goto(`${address}/account/webhooks/1/`);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").textContent()).toBe(
    "The webhook was disabled by staff: contact support.",
  );
  await appliance.app.domains.webhooks.enable(1, COMMAND_LINE);
  await page.goto(`${address}/account/webhooks/1/`);
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("by your organization").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByText("The webhook is enabled.", { exact: false }).waitFor();
  await context.close();
});

inBrowser("channels are picked by search, to be compared or added to a webhook", async () => {
  const { page, faults, context } = await signedIn();
  await page.goto(`${address}/account/compare/?channels=1`);
  await page.getByLabel("Add a channel").fill("город");
  await page.locator(".offered button").first().click();
  await page.waitForURL(/channels=1&.*channels=\d/);
  expect(await page.locator(".chips li").count()).toBe(2);
  await page.goto(`${address}/account/webhooks/`);
  const finder = page.getByLabel("Find a channel to add");
  await finder.fill("ничего такого");
  await page.getByText("No channels found.").waitFor();
  await finder.fill("2");
  await page.locator(".offered button").first().click();
  await finder.fill("1");
  await page.locator(".offered button").first().waitFor();
  await finder.press("Enter");
  const named = await page.getByLabel("Channels", { exact: true }).inputValue();
  expect(named.split(" ")).toHaveLength(2);
  expect(faults).toEqual([]);
  await context.close();
});

inBrowser(
  "no post makes a page load anything, run anything or lead away, whatever its text",
  async () => {
    const evil = "https://evil.example/";
    const texts = [
      `![x](${evil}a.png) <img src="${evil}b.png" onerror="alert(1)"> <script src="${evil}c.js"></script>`,
      `[x](javascript:alert(1)) <svg onload=alert(2)> <iframe src="${evil}"></iframe> **<b onclick=alert(3)>**`,
      `<link rel="stylesheet" href="${evil}d.css"> <style>@import "${evil}e.css"</style> <base href="${evil}">`,
      `<meta http-equiv="refresh" content="0;url=${evil}"> \`<img src=${evil}f.png>\` [a](data:text/html,<script>alert(4)</script>)`,
      `[a](${evil}"onmouseover="alert(5)) **[b](${evil} 'x" onfocus="alert(6)" autofocus')**`,
    ];
    await imported(appliance, "channels", [
      channel(12, { title: texts[1], description: texts[0] }),
    ]);
    await imported(
      appliance,
      "posts",
      texts.map((text, at) => ({
        ...{ id: 1200 + at, channel: 12, text, views: 10 },
        published_at: new Date(appliance.ports.clock.now() - at * 60_000).toISOString(),
      })),
    );
    const { page, faults, context } = await signedIn();
    const hosts: string[] = [];
    page.on("request", (request) => hosts.push(new URL(request.url()).host));
    page.on("dialog", (dialog) => {
      faults.push(dialog.message());
      void dialog.dismiss();
    });
    for (const path of ["channels/12/", "channels/?q=iframe", "compare/?channels=12"]) {
      await page.goto(`${address}/account/${path}`);
      await page.waitForLoadState("networkidle");
      for (const link of await page.locator("main a").all()) await link.hover();
      expect(new URL(page.url()).host, path).toBe(new URL(address).host);
      expect(
        await page.locator("main :is(img, iframe, script, style, link, base, meta)").count(),
      ).toBe(0);
    }
    expect(new Set(hosts)).toEqual(new Set([new URL(address).host]));
    expect(faults).toEqual([]);
    await context.close();
  },
);
