import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { createMachine, type Machine, type Serving } from "../../support/machine.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  press,
  seriousFaults,
  statusOf,
  type Window,
} from "../../support/site-browser.ts";
import { until } from "../../support/until.ts";
import { PASSWORD } from "../../support/visitor.ts";

/** What people do in a browser, on the real process, from its printed set-up address on. */
const inBrowser = test.skipIf(CHROMIUM === undefined);

const unfoldOne = (page: Page, row: string, name: string) =>
  page.locator("tr", { hasText: row }).locator("summary", { hasText: name }).click();

/** Presses Tab until the wanted element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    const isThere = `document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`;
    if (await page.evaluate(isThere)) return;
  }
  throw new Error(`the keyboard does not come to ${selector} on ${page.url()}`);
}

const OWNER = "ada@example.com";
let browser: Browser;
let machine: Machine;
let serving: Serving;
let owner: Window;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  machine = createMachine();
  serving = await machine.serve();
  owner = await openWindow(browser, serving.address, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
});
afterAll(async () => {
  await owner?.context.close();
  await browser?.close();
  await machine?.leave();
});

const copied = (page: Page): Promise<string> => page.evaluate("navigator.clipboard.readText()");
const me = async (key: string) => (await serving.get("/v1/me/", key)).status;

async function makeKey(page: Page, name: string): Promise<string> {
  await page.goto("/account/keys/");
  await page.getByLabel("Name").fill(name);
  await press(page, "Create key");
  await page.getByRole("button", { name: "Copy Key" }).click();
  return copied(page);
}

inBrowser(
  "the keyboard alone is enough from the printed set-up address to the first API call",
  async () => {
    const { page } = owner;
    const setUp = (): string | undefined =>
      /https?:\S+\/account\/set-up\/\S+(?=\n)/.exec(serving.printed())?.[0];
    await until(() => setUp() !== undefined, "the set-up address");
    const printed = setUp() ?? "";
    await page.goto(printed);
    expect(await seriousFaults(page)).toEqual([]);
    await tabTo(page, "[name=name]");
    await page.keyboard.type("Ada");
    await tabTo(page, "[name=email]");
    await page.keyboard.type(OWNER);
    await tabTo(page, "[name=password]");
    await page.keyboard.type(PASSWORD);
    await tabTo(page, "[name=organization]");
    await page.keyboard.type("Acme");
    await page.keyboard.press("Enter");

    await page.waitForURL("**/staff/start/");
    expect(await seriousFaults(page)).toEqual([]);
    await page.goto("/account/");

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/account/#content");
    await page.goto("/account/");
    await tabTo(page, "nav a[href$='/keys/']");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/account/keys/");
    await tabTo(page, "[name=name]");
    await page.keyboard.type("My first program");
    await tabTo(page, "main form button");
    await page.keyboard.press("Enter");
    await page.getByRole("status").waitFor();
    await tabTo(page, "[data-copy]");
    await page.keyboard.press("Enter");
    await page.getByText("Copied").waitFor();
    const key = await copied(page);
    expect(key).toMatch(/^knl_ro_/);
    expect(await me(key)).toBe(200);

    await page.goto(printed);
    expect(await page.locator("h1").textContent()).toBe("Set up Kanalog");
    expect(await page.getByRole("alert").textContent()).toContain("This address has been used");
    expect(owner.faults).toEqual([]);
  },
);

inBrowser("a key works from its creation until it is revoked", async () => {
  const { page } = owner;
  const key = await makeKey(page, "Short-lived");
  expect(await me(key)).toBe(200);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole("link", { name: "I have saved it" }).click();
  await page.getByRole("heading", { name: "New key" }).waitFor();
  expect(await page.content()).not.toContain(key);
  await unfoldOne(page, "Short-lived", "Revoke");
  await page.locator("tr", { hasText: "Short-lived" }).getByRole("button").click();
  expect(await statusOf(page)).toBe("The key was revoked.");
  expect(await me(key)).toBe(401);
  expect(owner.faults).toEqual([]);
});

inBrowser(
  "invited people get a key by the copied link, and suspended ones are signed out at once",
  async () => {
    const { page } = owner;
    await page.goto("/account/members/");
    await page.getByLabel("Email").fill("nina@example.com");
    await page.getByLabel("Name").fill("Nina");
    await press(page, "Invite");
    await page.getByRole("button", { name: "Copy" }).click();
    const link = await copied(page);
    expect(await seriousFaults(page)).toEqual([]);

    const nina = await openWindow(browser, serving.address);
    await nina.page.goto(link);
    await nina.page.getByLabel("New password").fill("a password of her own");
    await press(nina.page, "Save");
    await nina.page.getByRole("button", { name: "Copy Key" }).waitFor();

    await page.goto("/account/members/");
    await unfoldOne(page, "Nina", "Suspend");
    await page.locator("tr", { hasText: "Nina" }).getByRole("button", { name: "Suspend" }).click();
    expect(await statusOf(page)).toBe("The member was suspended.");
    await nina.page.goto("/account/keys/");
    expect(new URL(nina.page.url()).pathname).toBe("/account/sign-in/");
    await nina.page.fill("[name=email]", "nina@example.com");
    await nina.page.fill("[name=password]", "a password of her own");
    await press(nina.page, "Sign in");
    // Signed in, but not a member of any organization.
    await nina.page.waitForURL("**/account/profile/");
    await nina.page.goto("/account/keys/");
    expect(new URL(nina.page.url()).pathname).toBe("/account/profile/");
    expect([...owner.faults, ...nina.faults]).toEqual([]);
    await nina.context.close();
  },
);

inBrowser(
  "an uploaded CSV shows its progress without a click, and then the result of its rows",
  async () => {
    const { page } = owner;
    const rows = Array.from({ length: 12_000 }, (_, at) => `${at + 1},Канал ${at + 1},${at}`);
    const csv = `id,title,subscribers\n${rows.join("\n")}\n99999,Без числа,x\n`;
    await page.goto("/staff/imports/");
    const file = { name: "channels.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await page.getByLabel("File").setInputFiles(file);
    await press(page, "Upload and import");
    await page.waitForURL(/imports\/\?file=/);
    expect(await page.locator("main tbody tr").count()).toBe(10);
    await press(page, "Start the import");
    await page.waitForURL(/imports\/\d+\//);
    await page.getByRole("progressbar").waitFor();
    await page.getByText("The import is complete.").waitFor();
    const counts = await page.locator(".cards li").allInnerTexts();
    expect(counts.map((text) => text.replace(/\s+/g, " "))).toContainValues([
      "12,001 Read",
      "12,000 Inserted",
      "1 Rejected",
    ]);
    const [line = ""] = await page.locator(".rejects tbody tr").allInnerTexts();
    expect(line.split(/\s/).slice(0, 2)).toEqual(["1", "subscribers"]);
    expect(line).toContain("12002");
    expect(owner.faults).toEqual([]);
  },
);

inBrowser(
  "a form of any size, sent after the session has ended, leads to sign-in and back to its page",
  async () => {
    const { page, context } = owner;
    await page.goto("/account/keys/?a=b");
    await page.getByLabel("Name").fill("x".repeat(200_000));
    await context.clearCookies({ name: /session/ });
    await press(page, "Create key");
    await page.getByText("what you typed was not sent").waitFor();
    await page.fill("[name=email]", OWNER);
    await page.fill("[name=password]", "not the password");
    await press(page, "Sign in");
    await page.getByText("the password is wrong").waitFor();
    await page.fill("[name=password]", PASSWORD);
    await press(page, "Sign in");
    await page.getByText("type it again").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("");
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByLabel("Name").fill("typed again");
    await press(page, "Create key");
    await page.getByRole("button", { name: "Copy Key" }).click();
    const key = await copied(page);
    const account = (await (await serving.get("/v1/me/", key)).json()) as { key: object };
    expect(account.key).toMatchObject({ name: "typed again" });
    expect(owner.faults).toEqual([]);
  },
);
