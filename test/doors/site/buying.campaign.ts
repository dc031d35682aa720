import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import type { Message } from "../../../src/ports/mail.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import {
  type FakeStripe,
  STRIPE_KEY,
  STRIPE_SECRET,
  startFakeStripe,
} from "../../support/fake-stripe.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  seriousFaults,
  signIn,
  tooWide,
  type Window,
} from "../../support/site-browser.ts";
import { addPerson, PASSWORD, STAFF } from "../../support/visitor.ts";

/** What a customer does in a browser, from the invitation to a plan of their own, if the machine has one. */
const inBrowser = test.skipIf(CHROMIUM === undefined);
const PLAN = "/account/plan/";
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

let browser: Browser;
let stripe: FakeStripe;
let appliance: Appliance;
let operator: OperatorApi;
let address: string;
const ports = fakePorts();
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  stripe = startFakeStripe(ports.clock.now);
  stripe.addPrice("price_growth1", 4_900);
  appliance = await startAppliance(
    {
      ...{ KANALOG_PORT: "0", KANALOG_STRIPE_KEY: STRIPE_KEY, KANALOG_STRIPE_API: stripe.address },
      KANALOG_STRIPE_WEBHOOK_SECRET: STRIPE_SECRET,
    },
    ports,
  );
  await imported(appliance, "channels", [channel(1), channel(2)]);
  operator = await operatorApi(appliance, ["customers"]);
  const offers = {
    start: { price: 1_900, currency: "EUR", text_en: "For a site or a report." },
    growth: { price: 4_900, currency: "EUR", buy: "stripe", stripe_price: "price_growth1" },
    profi: { price: 990_000, currency: "RUB", buy: "link", link: "https://pay.example.com/p" },
  };
  for (const [plan, offer] of Object.entries(offers)) {
    const { status } = await operator.send("PATCH", `plan-offers/${plan}/`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(offer),
    });
    expect(status).toBe(200);
  }
  address = appliance.app.listen();
});
afterAll(async () => {
  await browser?.close();
  await appliance?.close();
  await stripe?.close();
});

/** Sends the events that wait at the stand-in. */
async function deliver(): Promise<void> {
  for (const { body } of stripe.take()) {
    const headers = { "content-type": "application/json", "stripe-signature": stripe.signed(body) };
    const { status } = await fetch(`${address}/billing/stripe/`, { method: "POST", headers, body });
    expect(status).toBe(200);
  }
}

const mails = async (): Promise<Message[]> => {
  await appliance.app.mailer.runDue();
  return ports.mail.sent.splice(0);
};

async function customer(email: string): Promise<Window & { id: number }> {
  const name = `${email} Ltd`;
  const { body } = await operator.post("organizations/", { name, plan: "test" });
  const id = body.organization?.id ?? body.id;
  await addPerson(appliance, { organizationId: id, email, name: "Customer" });
  return { id, ...(await signedIn(email)) };
}

async function signedIn(email: string): Promise<Window> {
  const window = await openWindow(browser, address);
  window.page.setDefaultTimeout(30_000);
  await signIn(window.page, email);
  return window;
}

const planOf = async (id: number) => (await appliance.app.domains.accounts.organization(id)).plan;

inBrowser("an invited person makes the first call with three clicks and one field", async () => {
  const made = await operator.post("organizations/", {
    ...{ name: "Invited", plan: "start", owner: "ivy@example.com" },
  });
  expect(made.status).toBe(201);
  const token = await appliance.app.domains.people.passwordLink({
    ...{ email: "ivy@example.com", isTrusted: true },
  });
  const { page, faults, go } = await openWindow(browser, address);
  const begunMs = performance.now();
  // The first click, on the link of the mail.
  await go(`/account/choose-password/?token=${token}`);
  await page.fill("[name=password]", PASSWORD);
  await page.click("main button[type=submit]");
  await page.click("[data-run]");
  await page.waitForSelector("[data-first-call].done");
  const tookMs = performance.now() - begunMs;
  expect(await page.textContent(".answer")).toContain('"results"');
  expect(await seriousFaults(page)).toEqual([]);
  expect(tookMs, "milliseconds from the invitation to the first call").toBeLessThan(60_000);
  await go("/account/");
  expect(page.url()).toEndWith("/account/");
  expect(faults).toEqual([]);
});

inBrowser(
  "a request: asked with two clicks, granted by staff with one form, and there",
  async () => {
    const { page, id, faults } = await customer("rob@example.com");
    await page.goto(PLAN);
    await page.click('li:has([value="ask-start"]) summary');
    await page.click('form:has([value="ask-start"]) button[type=submit]');
    expect(await page.textContent("main")).toContain("Another plan was asked for");
    await addPerson(appliance, { email: STAFF, isStaff: true });
    const staff = await signedIn(STAFF);
    await staff.go(`/staff/organizations/${id}/`);
    expect(await staff.page.textContent("main")).toContain("rob@example.com");
    const granted = await operator.post(`organizations/${id}/plan/`, { plan: "start" });
    expect(granted.status).toBe(200);
    await page.reload();
    expect(await page.textContent(".plans .current")).toContain("Your plan");
    expect(await planOf(id)).toBe("start");
    expect(faults).toEqual([]);
  },
);

inBrowser("a payment page gets the organization's number", async () => {
  const { page, id } = await customer("liz@example.com");
  await page.goto(PLAN);
  const to = await page.getAttribute('a[href^="https://pay.example.com"]', "href");
  expect(to).toBe(`https://pay.example.com/p?client_reference_id=${id}`);
});

// Last, since it moves the clock by months, after which sessions of the tests before would be removed as ended.
inBrowser(
  "Stripe: sees the price, buys, has the plan, renews, fails, cancels, is told",
  async () => {
    const { page, id } = await customer("sue@example.com");
    await page.click('a[href$="/account/plan/"]');
    expect(await page.textContent(".plans")).toContain("€49 a month");
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await seriousFaults(page)).toEqual([]);
      expect(await tooWide(page)).toBeLessThanOrEqual(0);
    }
    await page.click('form:has([value="buy-growth"]) button');
    await page.click("text=Pay");
    await page.waitForURL(`**${PLAN}?done=paid`);
    expect(await page.textContent("main")).toContain("Renews on");
    expect(await planOf(id)).toBe("growth");
    await deliver();
    expect((await mails()).map(({ subject }) => subject)[0]).toContain("Growth is yours");

    const { id: subscription } = stripe.latest();
    ports.clock.advance(MONTH_MS + 1);
    stripe.rollOver(subscription);
    stripe.settle(subscription, true);
    await deliver();
    expect((await mails()).map(({ subject }) => subject)[0]).toContain("was renewed");
    ports.clock.advance(MONTH_MS);
    stripe.rollOver(subscription);
    stripe.settle(subscription, false);
    await deliver();
    // Months later.
    const { page: later } = await signedIn("sue@example.com");
    await later.goto(PLAN);
    expect(await later.textContent("main")).toContain("The last payment failed");
    expect((await mails()).map(({ subject }) => subject)[0]).toContain("A payment failed");
    stripe.settle(subscription, true);
    await deliver();
    await later.goto(PLAN);
    await later.click('form:has([value="portal"]) button');
    await later.click("text=Cancel subscription");
    await later.waitForURL(`**${PLAN}`);
    await deliver();
    await later.reload();
    expect(await later.textContent("main")).toContain("Cancelled: the plan lasts until");
    expect((await mails()).map(({ subject }) => subject).at(-1)).toContain("was cancelled");
  },
);
