import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { type App, createApp } from "../../../../src/app/app.ts";
import { guides } from "../../../../src/app/guides.ts";
import { importFile } from "../../../../src/catalog/imports/import-file.ts";
import { readConfig } from "../../../../src/config.ts";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { guidePath } from "../../../../src/doors/http/docs/guide.ts";
import { apiMethods } from "../../../../src/verbs/methods/table.ts";
import { liftRates } from "../../../support/appliance.ts";
import { fakePorts } from "../../../support/fake-ports.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  seriousFaults,
  tooWide,
} from "../../../support/site-browser.ts";
import { HANGS_AFTER_MS } from "../../../support/until.ts";

/** The documentation in a real browser, if the machine has one. */
if (CHROMIUM === undefined) console.warn("No Chromium here: the documentation was not tested.");

const folder = mkdtempSync(join(tmpdir(), "kanalog-docs-"));
const sample = new URL("../../../../data/sample/", import.meta.url).pathname;
let app: App;
let address: string;
let key: string;
let browser: Browser | null = null;

beforeAll(async () => {
  const ports = fakePorts();
  const environment = { KANALOG_DB: join(folder, "docs.db"), KANALOG_PORT: "0" };
  app = await createApp(readConfig(environment), ports);
  await liftRates(app);
  const { db, accounts, keys } = app.domains;
  await importFile(db, ports.clock, "channels", `${sample}channels.ndjson`);
  await importFile(db, ports.clock, "posts", `${sample}posts.ndjson`);
  const organization = await accounts.createOrganization(
    { name: "Acme", plan: "profi" },
    COMMAND_LINE,
  );
  const member = await accounts.addMember(
    {
      organizationId: organization.id,
      email: "ada@example.com",
      name: "Ada",
      role: "owner",
    },
    COMMAND_LINE,
  );
  const created = { memberId: member.id, name: "", access: "read_write", expiresAt: null } as const;
  key = (await keys.createKey(created, COMMAND_LINE)).token;
  address = app.listen();
  if (CHROMIUM !== undefined) browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

async function openDocs(): Promise<{ page: Page; hosts: Set<string>; faults: string[] }> {
  if (browser === null) throw new Error("no browser");
  const page = await browser.newPage();
  page.setDefaultTimeout(HANGS_AFTER_MS);
  const hosts = new Set<string>();
  const faults: string[] = [];
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // The browser also logs an expected 404 as an error.
    if (message.type() === "error" && !/status of 404/.test(message.text())) {
      faults.push(message.text());
    }
  });
  await page.goto(`${address}/docs/swagger/`);
  await page.waitForSelector(".opblock");
  return { page, hosts, faults };
}

test.skipIf(CHROMIUM === undefined)(
  "every method can be tried from the documentation, which contacts no other host",
  async () => {
    const { page, hosts, faults } = await openDocs();
    await page.click(".auth-wrapper .authorize");
    await page.fill(".auth-container input", key);
    await page.click(".auth-btn-wrapper .authorize");
    await page.click(".btn-done");

    // Events sent by webhooks are in their own section, and cannot be tried.
    const shown = ".opblock:not(.webhooks .opblock)";
    const operations = page.locator(shown);
    // Read all at once, because each query searches the whole large page.
    const paths: string[] = await page.evaluate(
      `[...document.querySelectorAll("${shown} .opblock-summary-path")].map((one) => one.dataset.path)`,
    );
    expect(paths).toHaveLength(apiMethods.length);
    const statuses: Record<string, string> = {};
    for (const [at, path] of paths.entries()) {
      const operation = operations.nth(at);
      await operation.locator(".opblock-summary-control").click();
      await operation.locator("button.execute").click();
      const status = operation.locator(".live-responses-table .response .response-col_status");
      await status.first().waitFor();
      const verb = await operation.locator(".opblock-summary-method").textContent();
      statuses[`${verb} ${path}`] = (await status.first().textContent()) ?? "";
      // Closed again: operations left open are redrawn with every answer, which took most of a minute.
      await operation.locator(".opblock-summary-control").click();
    }
    const others = Object.entries(statuses).filter(([, status]) => status !== "200");
    expect(Object.fromEntries(others)).toEqual({
      "POST /v1/msgr/webhooks/": "201",
      "DELETE /v1/msgr/webhooks/{id}/": "204",
      // The webhook has been deleted by then.
      "POST /v1/msgr/webhooks/{id}/rotate-secret/": "404",
      "POST /v1/msgr/webhooks/{id}/test/": "404",
      "GET /v1/msgr/webhooks/{id}/deliveries/": "404",
      "POST /v1/msgr/webhooks/{id}/deliveries/{delivery}/resend/": "404",
      "POST /v1/msgr/alerts/": "404",
      "GET /v1/msgr/alerts/{id}/": "404",
      "PATCH /v1/msgr/alerts/{id}/": "404",
      "DELETE /v1/msgr/alerts/{id}/": "404",
      "POST /v1/msgr/alerts/{id}/preview/": "404",
      "POST /v1/msgr/lists/": "201",
      "DELETE /v1/msgr/lists/{id}/": "204",
      // As above.
      "GET /v1/msgr/lists/{id}/channels/": "404",
    });
    expect(new Set(Object.keys(statuses).map((name) => name.split(" ")[0]))).toEqual(
      new Set(["GET", "POST", "PATCH", "DELETE"]),
    );
    expect([...hosts]).toEqual([new URL(address).host]);
    expect(faults).toEqual([]);
  },
);

test.skipIf(CHROMIUM === undefined)(
  "guides are readable on phones and wide screens, light and dark, and usable by keyboard",
  async () => {
    if (browser === null) throw new Error("no browser");
    const { context, page, faults, go } = await openWindow(browser, address);
    let seenFlags = 0;
    for (const guide of guides) {
      const { name } = guide;
      for (const language of Object.keys(guide.texts)) {
        await go(`/${guidePath(guide)}?lang=${language}`);
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await tooWide(page), name).toBeLessThanOrEqual(0);
          const flags = page.locator("code .flag");
          const lines = await flags.evaluateAll((all) =>
            all.map((one) => one.getClientRects().length),
          );
          expect(Math.max(1, ...lines), `${name}: lines of an option`).toBe(1);
          seenFlags += lines.length;
        }
        // On a phone each row is a block, so no name in it needs to be scrolled to.
        const tables = page.locator("section.scroll");
        const beyond = await tables.evaluateAll((all) =>
          all.map((one) => one.scrollWidth - one.clientWidth),
        );
        expect(Math.max(0, ...beyond), `${name}: pixels of a table beyond its box`).toBe(0);
      }
    }
    expect(seenFlags).toBeGreaterThan(20);
    await go("/staff/guides/sources/");
    expect(await page.locator("pre .flag").count(), "options in commands").toBeGreaterThan(5);
    // All guides are rendered in the same way: these two contain everything that a guide can.
    for (const [path, colorScheme] of [
      ["/staff/guides/importing/", "light"],
      ["/docs/mcp/?lang=ru", "dark"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await go(path);
      expect(await seriousFaults(page), path).toEqual([]);
    }
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**#content");
    // The bar is also shown above Swagger UI, in the same colours.
    const colours =
      "['header', 'body'].map((name) => getComputedStyle(document.querySelector(name)).backgroundColor)";
    const ofGuide = await page.evaluate(colours);
    await go("/docs/swagger/");
    await page.waitForSelector(".opblock");
    expect(await page.evaluate(colours)).toEqual(ofGuide);
    expect(JSON.stringify(ofGuide)).toContain("srgb");
    await page.getByRole("link", { name: "Assistants" }).click();
    await page.waitForURL("**/docs/mcp/");
    expect(faults).toEqual([]);
    await context.close();
  },
);

test("the documentation's page names no other host and forbids foreign scripts", async () => {
  const answer = await fetch(`${address}/docs/swagger/`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).not.toMatch(/(?:https?:)?\/\//);
  const policy = answer.headers.get("content-security-policy");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("default-src 'none';");
});
