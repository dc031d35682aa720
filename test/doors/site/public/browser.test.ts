import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { channel, imported } from "../../../support/expectations.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  seriousFaults,
  tooWide,
  unfold,
} from "../../../support/site-browser.ts";

/** Public pages in a real browser, if the machine has one. */
const inBrowser = test.skipIf(CHROMIUM === undefined);
const LONG = "СамыйДлинныйЗаголовокКоторыйКогдаЛибоПридумывалиДляКанала".repeat(2);

let browser: Browser;
let appliance: Appliance;
let address: string;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  appliance = await startAppliance({ KANALOG_PUBLIC: "charts", KANALOG_PORT: "0" });
  await imported(appliance, "channels", [
    channel(1, { handle: "first", category: "news", territory: "moskva", verified: true }),
    channel(2, { handle: "the_longest_handle_there_may_be_1", title: LONG, description: LONG }),
  ]);
  await imported(
    appliance,
    "stats",
    ["17", "18", "19"].map((day, at) => ({
      ...{ channel: 1, day: `2026-11-${day}`, subscribers: 900 + at, views: 1, posts: 1 },
    })),
  );
  address = appliance.app.listen();
});
afterAll(async () => {
  await browser?.close();
  await appliance?.close();
});

const PATHS = [
  ...["/", "/c/", "/c/first/", "/c/the_longest_handle_there_may_be_1/", "/c/category/news/"],
  ...["/c/territory/moskva/", "/c/?q=first", "/c/nobody/"],
];

inBrowser(
  "public pages have no fault for axe, load nothing from elsewhere, and fit a phone, in both themes",
  async () => {
    for (const [colorScheme, width, prefix] of [
      ["light", 1280, ""],
      ["dark", 390, "/en"],
    ] as const) {
      const viewport = { width, height: 844 };
      const window = await openWindow(browser, address, { colorScheme, viewport });
      for (const path of PATHS) {
        await window.go(path === "/" ? path : prefix + path);
        await unfold(window.page);
        expect(await seriousFaults(window.page), `${path} ${colorScheme}`).toEqual([]);
        expect(await tooWide(window.page), `${path} ${width}`).toBeLessThanOrEqual(0);
      }
      expect(window.faults).toEqual([]);
      await window.context.close();
    }
  },
);
