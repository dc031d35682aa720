import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { TOOL_NAMES } from "../../support/mcp-requests.ts";
import { CHROMIUM, launchBrowser } from "../../support/site-browser.ts";
import { addPerson, PASSWORD } from "../../support/visitor.ts";

/** The official client in a page of another site, in a real browser with its rules for other origins. */
if (CHROMIUM === undefined) console.warn("No Chromium here: no page was a client.");
const inBrowser = test.skipIf(CHROMIUM === undefined);

let browser: Browser;
let appliance: Appliance;
let address: string;
let pages: Bun.Server<undefined>;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  appliance = await startAppliance({ KANALOG_PORT: "0", KANALOG_OAUTH: "on" });
  address = appliance.app.listen();
  await addPerson(appliance);
  const { outputs } = await Bun.build({
    entrypoints: [new URL("../../support/page-client.ts", import.meta.url).pathname],
    target: "browser",
  });
  const script = (await outputs[0]?.text()) ?? "";
  pages = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      new URL(url).pathname === "/client.js"
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response(
            '<!doctype html><title></title><script type="module" src="/client.js"></script>',
            {
              headers: { "content-type": "text/html" },
            },
          ),
  });
});
afterAll(async () => {
  await pages?.stop(true);
  await browser?.close();
  await appliance?.close();
});

const CONNECTED = `modern: ${TOOL_NAMES.length} tools`;

inBrowser("a page of another site connects with a key", async () => {
  const { key } = await appliance.customer();
  const page = await (await browser.newContext()).newPage();
  const query = new URLSearchParams({ server: `${address}/v1/mcp/`, key });
  await page.goto(`${pages.url.origin}/?${query}`);
  await page.waitForFunction("document.title !== ''");
  expect(await page.title()).toBe(CONNECTED);
});

inBrowser("a page of another site finds the sign-in by itself, and connects", async () => {
  const page = await (await browser.newContext({ locale: "en-GB" })).newPage();
  const query = new URLSearchParams({ server: `${address}/mcp` });
  await page.goto(`${pages.url.origin}/?${query}`);
  await page.fill("[name=email]", "ada@example.com");
  await page.fill("[name=password]", PASSWORD);
  await page.click("main button[type=submit]");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.waitForURL("**/callback?**");
  await page.waitForFunction("document.title !== ''");
  expect(await page.title()).toBe(CONNECTED);
});
