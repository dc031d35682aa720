import { existsSync, readFileSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { HANGS_AFTER_MS } from "./until.ts";
import { PASSWORD } from "./visitor.ts";

/** Path of Debian's Chromium, or of another one, if the machine has it. */
export const CHROMIUM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const AXE = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8");

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM as string,
    args: QUIET,
    timeout: HANGS_AFTER_MS,
  });
}

/** A window of the browser, with the faults that occurred in it. */
export interface Window {
  context: BrowserContext;
  page: Page;
  /** Errors of scripts and of the console, violations of the content policy, requests to other hosts. */
  faults: string[];
  /** Opens a path of the site. */
  go(path: string): Promise<void>;
}

/** Opens a window with cookies of its own, for the appliance at the address. */
export async function openWindow(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ baseURL: address, locale: "en-GB", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(HANGS_AFTER_MS);
  const faults: string[] = [];
  const { host } = new URL(address);
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    // A refused form is answered with an error status, which the console reports too.
    if (["error", "warning"].includes(message.type()) && !/status of 4\d\d/.test(message.text())) {
      faults.push(`${page.url()}: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    const requested = new URL(request.url());
    if (requested.protocol !== "data:" && requested.host !== host)
      faults.push(`asked ${request.url()}`);
  });
  const go = async (path: string) => {
    await page.goto(path);
  };
  return { context, page, faults, go };
}

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto("/account/sign-in/");
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.click("main button[type=submit]");
  await page.waitForURL("**/account/");
}

/** Faults that axe-core calls serious or critical, on the page or within a selector. */
export async function seriousFaults(page: Page, within = "html"): Promise<string[]> {
  await page.evaluate(AXE);
  const run = `axe.run(${JSON.stringify(within)}, { resultTypes: ['violations'] })`;
  const found = (await page.evaluate(run)) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** Number of pixels by which the page is wider than the window. */
export function tooWide(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}

/** Opens all `details` elements, so that their contents are checked too. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate(
    "for (const one of document.querySelectorAll('main details')) one.open = true",
  );
}

/** Presses the button of the page's content that has the name. */
export const press = (page: Page, name: string): Promise<void> =>
  page.locator("main").getByRole("button", { name, exact: true }).click();

/** Text of the page's status, which says what was done. */
export const statusOf = (page: Page): Promise<string | null> =>
  page.getByRole("status").textContent();
