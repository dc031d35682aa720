import { afterEach, beforeEach, expect, test } from "bun:test";
import { ownAmount, stripeAmount } from "../../src/customers/selling/stripe-amount.ts";
import { DAY_MS } from "../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { fakePorts } from "../support/fake-ports.ts";
import {
  type FakeStripe,
  STRIPE_KEY,
  STRIPE_SECRET,
  startFakeStripe,
} from "../support/fake-stripe.ts";
import { type OperatorApi, operatorApi } from "../support/operator-api.ts";
import { addPerson, signedInVisitor, type Visitor } from "../support/visitor.ts";

/** Plans that customers buy through Stripe, over a stand-in for its API that sends its events. */

const PRICE = "price_growth1";
const PLAN = "/account/plan/";
const HOUR_MS = 60 * 60 * 1000;

let stripe: FakeStripe;
let appliance: Appliance;
let operator: OperatorApi;
let olga: Visitor;
let id: number;
let key: string;
const ports = fakePorts();
const start = ports.clock.now();

const offer = async (plan: string, of: object) =>
  (
    await operator.send("PATCH", `plan-offers/${plan}/`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(of),
    })
  ).status;

beforeEach(async () => {
  ports.clock.set(new Date(start).toISOString());
  ports.mail.sent.length = 0;
  stripe = startFakeStripe(ports.clock.now);
  stripe.addPrice(PRICE, 4_900);
  appliance = await startAppliance(
    {
      ...{ KANALOG_STRIPE_KEY: STRIPE_KEY, KANALOG_STRIPE_WEBHOOK_SECRET: STRIPE_SECRET },
      ...{ KANALOG_STRIPE_API: stripe.address, KANALOG_BASE_URL: "http://localhost" },
    },
    ports,
  );
  operator = await operatorApi(appliance, ["customers"]);
  ({ organizationId: id, key } = await appliance.customer({ plan: "test" }));
  await addPerson(appliance, { organizationId: id, email: "olga@example.com", name: "Olga" });
  const of = { price: 4_900, currency: "EUR", buy: "stripe", stripe_price: PRICE };
  expect(await offer("growth", of)).toBe(200);
  olga = await signedInVisitor(appliance, "olga@example.com");
});
afterEach(async () => {
  await appliance.close();
  await stripe.close();
});

async function send(body: string, signature = stripe.signed(body)): Promise<number> {
  const headers = { "content-type": "application/json", "stripe-signature": signature };
  return (await appliance.request("/billing/stripe/", { method: "POST", headers, body })).status;
}

/** Sends all events that wait, as Stripe does: in any order, and some of them twice. */
async function deliver(): Promise<void> {
  for (const { body } of stripe.take().reverse()) {
    expect(await send(body)).toBe(200);
    expect(await send(body)).toBe(200);
  }
}

const plan = async () => {
  const { body } = await appliance.get("/v1/me/", key);
  const ends = body.tariff_ends_at;
  return { plan: body.api_tariff, ends: ends === null ? null : Date.parse(ends) - start };
};

/** Subjects of the mails to an address since the last look, in English. */
async function told(): Promise<string[]> {
  await appliance.app.mailer.runDue();
  return ports.mail.sent
    .splice(0)
    .filter(({ to }) => to.includes("olga@example.com"))
    .map(({ subject }) => subject.split(" / ").at(-1) ?? "");
}

/** Olga opens the payment page of Growth. @returns its session's id */
async function open(): Promise<string> {
  const { status, headers, html } = await olga.post(PLAN, { action: "buy-growth" });
  expect(status, html).toBe(200);
  const session = [...stripe.sessions.values()].at(-1)?.id ?? "";
  expect(headers.get("refresh")).toBe(`0; url=${stripe.address}/pay/${session}`);
  return session;
}

test("bought, renewed, failed, paid late, cancelled and over: the plan and the mails follow each", async () => {
  const { html } = await olga.get(PLAN);
  expect(html).toContain("€49 a month");
  const session = await open();
  const { id: subscription } = stripe.pay(session);
  expect(await plan()).toEqual({ plan: "test", ends: null });
  const back = await olga.get(`${PLAN}?session=${session}`);
  expect(back.location).toBe(`${PLAN}?done=paid`);
  const month = 30 * DAY_MS;
  const grace = 3 * DAY_MS;
  expect(await plan()).toEqual({ plan: "growth", ends: month + grace });
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: month + grace });
  expect(await told()).toEqual(["Growth is yours: Acme"]);
  expect((await olga.get(PLAN)).html).toContain("Renews on");

  // The period moves on an hour before it is paid, and the plan with it only then.
  ports.clock.advance(month + HOUR_MS);
  stripe.rollOver(subscription);
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: month + grace });
  expect(await told()).toEqual([]);
  stripe.settle(subscription, true);
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: 2 * month + grace });
  expect(await told()).toEqual(["Growth was renewed: Acme"]);

  ports.clock.advance(month);
  stripe.rollOver(subscription);
  stripe.settle(subscription, false);
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: 2 * month + grace });
  expect(await told()).toEqual(["A payment failed: Acme"]);
  expect((await olga.get(PLAN)).html).toContain("The last payment failed.");
  ports.clock.advance(DAY_MS);
  stripe.settle(subscription, true);
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: 3 * month + grace });

  await told();
  stripe.cancel(subscription);
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: 3 * month });
  expect(await told()).toEqual(["The subscription was cancelled: Acme"]);
  expect((await olga.get(PLAN)).html).toContain("Cancelled: the plan lasts until");
  ports.clock.advance(month);
  stripe.end(subscription);
  await deliver();
  expect(await plan()).toEqual({ plan: "test", ends: 3 * month });
  expect(await told()).toEqual(["The subscription is over: Acme"]);
  await open();
});

test("a payment that keeps failing ends the plan with the grace, and nothing is granted for it", async () => {
  const { id: subscription } = stripe.pay(await open());
  await deliver();
  ports.clock.advance(30 * DAY_MS + HOUR_MS);
  stripe.rollOver(subscription);
  stripe.settle(subscription, false);
  await deliver();
  ports.clock.advance(3 * DAY_MS);
  expect((await plan()).plan).toBe("test");
  stripe.end(subscription);
  await deliver();
  expect(await plan()).toEqual({ plan: "test", ends: 33 * DAY_MS });
});

test("forged, old, foreign and unreadable events change nothing", async () => {
  const { id: subscription } = stripe.pay(await open());
  const [{ body } = { body: "" }] = stripe.take();
  expect(await send(body, stripe.signed(body, "whsec_other"))).toBe(400);
  expect(await send(body, "")).toBe(400);
  expect(await send(body, stripe.signed(`${body} `))).toBe(400);
  expect(await send(body, stripe.signed(body, STRIPE_SECRET, ports.clock.now() - HOUR_MS))).toBe(
    400,
  );
  expect(await send("{", stripe.signed("{"))).toBe(400);
  expect((await appliance.request("/billing/stripe/")).status).toBe(404);
  expect(await plan()).toEqual({ plan: "test", ends: null });
  // What is signed but not ours: the other mode, other subscriptions, unknown kinds, objects that are none.
  const event = JSON.parse(body);
  for (const [of, asked] of [
    [{ ...event, livemode: true }, 0],
    [{ ...event, id: "evt_x1", data: { object: { ...event.data.object, id: "sub_none" } } }, 1],
    [{ ...event, id: "evt_x2", type: "payout.paid" }, 0],
    [{ ...event, id: "evt_x3", data: { object: {} } }, 0],
    [{ ...event, id: "evt_x4", type: "invoice.paid", data: { object: { parent: 1 } } }, 0],
  ] as const) {
    const before = stripe.asked.length;
    expect(await send(JSON.stringify(of))).toBe(200);
    expect(stripe.asked.length - before).toBe(asked);
  }
  stripe.subscription(subscription).metadata["organization"] = "999";
  expect(await send(body)).toBe(200);
  expect(await plan()).toEqual({ plan: "test", ends: null });
  expect(ports.log.errors).toEqual([]);
});

test("while Stripe does not answer, its events are refused, and nothing is lost", async () => {
  stripe.pay(await open());
  const events = stripe.take();
  stripe.state.isDown = true;
  for (const { body } of events) expect(await send(body)).toBe(503);
  expect((await olga.post(PLAN, { action: "portal" })).status).toBe(503);
  expect(await plan()).toEqual({ plan: "test", ends: null });
  stripe.state.isDown = false;
  for (const { body } of events) expect(await send(body)).toBe(200);
  expect((await plan()).plan).toBe("growth");
});

test("subscriptions whose events never came are asked for: after a day, or an hour beyond what was paid", async () => {
  const session = await open();
  const { id: subscription } = stripe.pay(session);
  await olga.get(`${PLAN}?session=${session}`);
  stripe.take();
  ports.clock.advance(30 * DAY_MS + 2 * HOUR_MS);
  stripe.rollOver(subscription);
  stripe.settle(subscription, true);
  stripe.take();
  await appliance.app.stripe?.look();
  expect(await plan()).toEqual({ plan: "growth", ends: 63 * DAY_MS });
  const asked = stripe.asked.length;
  await appliance.app.stripe?.look();
  expect(stripe.asked.length).toBe(asked);
});

test("nothing is bought at a price that is not the one shown, nor twice", async () => {
  const refused = async () => {
    const { status, html } = await olga.post(PLAN, { action: "buy-growth" });
    expect(html).toContain("price at Stripe is not the one shown");
    expect(status).toBe(409);
  };
  for (const [amount, currency, interval] of [
    [4_901, "eur", "month"],
    [4_900, "usd", "month"],
    [4_900, "eur", "year"],
  ] as const) {
    stripe.addPrice(PRICE, amount, currency, interval);
    await refused();
  }
  expect(stripe.sessions.size).toBe(0);
  stripe.addPrice(PRICE, 4_900);
  ports.log.errors.length = 0;
  const [first, second] = [await open(), await open()];
  expect(stripe.sessions.get(first)?.status).toBe("expired");
  expect(stripe.customers.size).toBe(1);
  stripe.pay(second);
  await deliver();
  const again = await olga.post(PLAN, { action: "buy-growth" });
  expect(again.status).toBe(409);
  expect(again.html).toContain("A subscription is under way");
  const portal = await olga.post(PLAN, { action: "portal" });
  expect(portal.headers.get("refresh")).toStartWith(`0; url=${stripe.address}/portal/cus_`);
});

test("what was paid while its event could not be received is not sold again", async () => {
  stripe.pay(await open());
  const again = await olga.post(PLAN, { action: "buy-growth" });
  expect(again.status).toBe(409);
  expect(again.html).toContain("A subscription is under way");
  expect((await plan()).plan).toBe("growth");
});

test("of payment pages that are opened at once, one stays open, and all lead there", async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => olga.post(PLAN, { action: "buy-growth" })),
  );
  const open = [...stripe.sessions.values()].filter(({ status }) => status === "open");
  expect(open).toHaveLength(1);
  // All succeed, although they close each other's pages; one that was late leads to the page that stays.
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const pages = answers.map(({ headers }) => headers.get("refresh"));
  expect(pages).toContain(`0; url=${stripe.address}/pay/${open[0]?.id}`);
});

test("a new subscription does not shorten what was paid before", async () => {
  const { id: subscription } = stripe.pay(await open());
  stripe.rollOver(subscription);
  stripe.settle(subscription, true);
  stripe.end(subscription);
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: 60 * DAY_MS });
  // Its page does not sell the plan that it has; an older page, still open, does.
  stripe.pay(await open());
  await deliver();
  expect(await plan()).toEqual({ plan: "growth", ends: 60 * DAY_MS });
});

test("an older subscription whose end is heard late does not shorten what a newer one paid", async () => {
  const { id: older } = stripe.pay(await open());
  await deliver();
  stripe.end(older);
  const late = stripe.take();
  ports.clock.advance(HOUR_MS);
  const { id: newer } = stripe.pay(await open());
  stripe.end(newer);
  await deliver();
  // What goes on outlasts what was paid by some days.
  expect(await plan()).toEqual({ plan: "growth", ends: 33 * DAY_MS });
  for (const { body } of late) expect(await send(body)).toBe(200);
  expect(await plan()).toEqual({ plan: "growth", ends: 30 * DAY_MS + HOUR_MS });
});

test("a customer that Stripe deleted is made anew, and another's session gives nothing", async () => {
  await open();
  stripe.customers.clear();
  const session = await open();
  stripe.pay(session);
  const { organizationId } = await addPerson(appliance, { email: "eve@example.com" });
  const eve = await signedInVisitor(appliance, "eve@example.com");
  expect((await eve.get(`${PLAN}?session=${session}`)).status).toBe(303);
  expect((await eve.get(`${PLAN}?session=cs_none`)).status).toBe(303);
  expect(await plan()).toEqual({ plan: "test", ends: null });
  const theirs = await appliance.app.domains.accounts.organization(organizationId);
  expect(theirs).toMatchObject({ plan: "profi", planEndsAt: null });
});

test("a plan that staff gave meanwhile stays when the subscription ends", async () => {
  const { id: subscription } = stripe.pay(await open());
  await deliver();
  expect(
    (await operator.post(`organizations/${id}/plan/`, { plan: "profi", ends: "2030-01-31" }))
      .status,
  ).toBe(200);
  stripe.cancel(subscription);
  await deliver();
  expect((await plan()).plan).toBe("profi");
  stripe.end(subscription);
  await deliver();
  expect((await plan()).plan).toBe("profi");
});

test("another price chosen at Stripe is another plan once it is paid", async () => {
  stripe.addPrice("price_profi1", 9_900);
  const of = { price: 9_900, currency: "EUR", buy: "stripe", stripe_price: "price_profi1" };
  expect(await offer("profi", of)).toBe(200);
  const { id: subscription } = stripe.pay(await open());
  await deliver();
  const bought = stripe.subscription(subscription);
  bought.price = "price_profi1";
  stripe.settle(subscription, false);
  await deliver();
  expect((await plan()).plan).toBe("growth");
  stripe.settle(subscription, true);
  await deliver();
  expect((await plan()).plan).toBe("profi");
});

test("a refund is shown, once", async () => {
  const { id: subscription } = stripe.pay(await open());
  await deliver();
  stripe.refund(subscription, 1_250);
  await deliver();
  expect((await olga.get(PLAN)).html.match(/€12\.50/g)).toHaveLength(1);
});

test("members may neither buy nor see Stripe's pages; offers that cannot be sold are refused", async () => {
  const member = {
    organizationId: id,
    email: "max@example.com",
    name: "Max",
    role: "member",
  } as const;
  await addPerson(appliance, member);
  const max = await signedInVisitor(appliance, "max@example.com");
  for (const action of ["buy-growth", "portal", "ask-profi"]) {
    expect((await max.post(PLAN, { action })).status).toBe(403);
  }
  expect((await olga.post(PLAN, { action: "buy-profi" })).status).toBe(409);
  expect((await olga.post(PLAN, { action: "portal" })).status).toBe(409);
  expect(stripe.asked).toEqual([]);
  for (const bad of [
    { stripe_price: null },
    { stripe_price: "<b>" },
    { stripe_price: "price_1&x=2" },
    { price: null },
    { price: 0 },
    { price: 1.5 },
    { currency: "EURO" },
  ]) {
    expect(await offer("growth", bad), JSON.stringify(bad)).toBe(400);
  }
});

test("Stripe's minor units differ from ISO 4217's in three currencies", () => {
  for (const [price, currency, amount] of [
    [4_900, "EUR", 4_900],
    [500, "JPY", 500],
    [500, "ISK", 50_000],
    [500, "UGX", 50_000],
    [500, "MGA", 5],
    [5_000, "KWD", 5_000],
  ] as const) {
    expect(stripeAmount(price, currency)).toBe(amount);
    expect(ownAmount(amount, currency.toLowerCase())).toBe(price);
  }
});
