import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { KEY_PLACE } from "../../../../src/customers/keys/connect-snippets.ts";
import { type ExampleWorld, startExampleWorld } from "../../../support/recorded-examples.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  seriousFaults,
  signIn,
  tooWide,
} from "../../../support/site-browser.ts";
import { addPerson } from "../../../support/visitor.ts";

/** The snippets on the methods page, in a real browser, if the machine has one. */
if (CHROMIUM === undefined) console.warn("No Chromium here: the snippets were not tested.");
const inBrowser = test.skipIf(CHROMIUM === undefined);
const EMAIL = "nina@example.com";

let world: ExampleWorld;
let address: string;
let browser: Browser;
/** Nina's key, of which the page may know the beginning. */
let key: string;

beforeAll(async () => {
  world = await startExampleWorld({ KANALOG_PORT: "0" });
  address = world.appliance.app.listen();
  const { memberId } = await addPerson(world.appliance, { email: EMAIL });
  const { keys } = world.appliance.app.domains;
  const wanted = { memberId, name: "", access: "read_only", expiresAt: null } as const;
  key = (await keys.createKey(wanted, COMMAND_LINE)).token;
  if (CHROMIUM !== undefined) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world.appliance.close();
});

/** Opens an operation on the page. @returns the section with its snippets */
async function snippetsOf(page: Page, operationId: string) {
  const operation = page.locator(`[id$="-${operationId}"]`);
  await operation.locator(".opblock-summary-control").click();
  return operation.locator(".snippets");
}

const SETTINGS = [
  [390, "dark"],
  [1280, "light"],
] as const;

inBrowser.each(SETTINGS)(
  "strangers see snippets and their answers at %d pixels, %s",
  async (width, colorScheme) => {
    const { context, page, faults, go } = await openWindow(browser, address, {
      viewport: { width, height: 844 },
      colorScheme,
    });
    await go("/docs/swagger/");
    const snippets = await snippetsOf(page, "msgr_channels_retrieve");
    expect(await snippets.locator("pre").textContent()).toBe(
      `curl "${address}/v1/msgr/channels/nsmag/" \\\n  -H "Authorization: Bearer ${KEY_PLACE}"`,
    );
    // The answer to this request is shown below it.
    const answer = page.locator(".responses-table .response").first();
    expect(JSON.parse((await answer.locator("pre.example").textContent()) ?? "")).toMatchObject({
      id: 1,
      handle: "nsmag",
      title: "Naked Science",
    });
    await snippets.getByRole("button", { name: "Python" }).click();
    expect(await snippets.locator("pre").textContent()).toContain("from urllib.request");
    // The choice applies to the whole page.
    const others = await snippetsOf(page, "msgr_webhooks_create");
    expect(await others.locator("pre").textContent()).toContain('method="POST"');
    expect(await snippets.locator("form").count()).toBe(0);
    // The selects of parameters and the dialog for the key are accessible too.
    await snippetsOf(page, "msgr_channels_list");
    expect(await seriousFaults(page)).toEqual([]);
    await page.locator("button.authorize").first().click();
    await page.locator(".dialog-ux").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).first().click();
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await context.close();
  },
);

inBrowser(
  "snippets show the beginning of a signed-in person's key, and ask for it once; it never leaves the tab",
  async () => {
    const { context, page, faults, go } = await openWindow(browser, address);
    const sent: string[] = [];
    page.on("request", (request) => {
      const { authorization = "" } = request.headers();
      const whole = `${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`;
      if (whole.includes(key)) sent.push(`${request.method()} ${request.url()} ${authorization}`);
    });
    await signIn(page, EMAIL);
    await go("/docs/swagger/");
    const snippets = await snippetsOf(page, "msgr_channels_list");
    const code = snippets.locator("pre");
    const field = page.getByLabel(`Your key that begins with ${key.slice(0, 11)}`);
    await field.waitFor();
    expect(await code.textContent()).toContain(`Bearer ${key.slice(0, 11)}…"`);
    expect(await seriousFaults(page, ".snippets")).toEqual([]);

    await field.fill("something else");
    await page.getByRole("button", { name: "Fill in" }).click();
    expect(await code.textContent()).toContain(`Bearer ${key.slice(0, 11)}…"`);
    await field.fill(` ${key} `);
    await page.getByRole("button", { name: "Fill in" }).click();
    await field.waitFor({ state: "detached" });
    expect(await code.textContent()).toContain(`Bearer ${key}"`);
    const others = await snippetsOf(page, "me_retrieve");
    expect(await others.locator("pre").textContent()).toContain(`Bearer ${key}"`);
    expect(await page.locator(".snippets form").count()).toBe(0);
    expect(sent).toEqual([]);

    // Requests are tried with this key too.
    const me = page.locator('[id$="-me_retrieve"]');
    await me.locator("button.execute").click();
    const status = me.locator(".live-responses-table .response .response-col_status").first();
    await status.waitFor();
    expect(await status.textContent()).toContain("200");
    expect(sent).toEqual([`GET ${address}/v1/me/ Bearer ${key}`]);

    await go("/docs/swagger/");
    const again = await snippetsOf(page, "me_retrieve");
    expect(await again.locator("pre").textContent()).toContain(`Bearer ${key}"`);
    const storage = "JSON.stringify([{ ...localStorage }, document.cookie])";
    expect(await page.evaluate(storage)).not.toContain(key);
    const otherTab = await context.newPage();
    await otherTab.goto(`${address}/healthz`);
    expect(await otherTab.evaluate("JSON.stringify({ ...sessionStorage })")).toBe("{}");
    expect(faults).toEqual([]);
    await context.close();
  },
);
