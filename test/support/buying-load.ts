import { type FakeStripe, STRIPE_SECRET } from "./fake-stripe.ts";
import type { Serving } from "./machine.ts";
import { remoteVisitor, type SitePageAnswer, type Visitor } from "./visitor.ts";
import { call, elapsed } from "./webhook-journey.ts";

/** Customers who buy while processes are killed: through Stripe, and from staff, by request or payment page. */

/** Steps before which, or in the middle of which, a process is killed. */
export const STEPS = [
  ...["POST /v1/customers", "POST /v1/checkout/sessions", "GET /v1/checkout/sessions"],
  ...["GET /v1/subscriptions", "event", "came back", "asked", "granted"],
];

export interface Buying {
  stripe: FakeStripe;
  /** Those that serve now; empty between a kill and the next start. */
  serving: Serving[];
  /** Key of the operator's API. */
  key: string;
  random(): number;
  /** False once customers should begin nothing more. */
  goesOn: boolean;
  /** True once nothing more will happen at Stripe. */
  isOver: boolean;
  /** Called when a step begins. */
  onStep(step: string): void;
  /** What must not happen. */
  faults: string[];
  /** Events that Stripe has sent, or has to send. */
  events: Set<string>;
}

/** A customer of the campaign, and what became of the purchases. */
export interface Buyer {
  organization: number;
  email: string;
  /** Stripe's subscriptions, as paid for. */
  subscriptions: string[];
  /** Requests for a plan that were sent, and those that were acknowledged. */
  asked: { sent: number; answered: number };
  /** What staff gave last. */
  granted: { plan: string; ends: string } | null;
}

const PLAN = "/account/plan/";
const PAUSE_MS = 15;

/** Sends a form on and on until a process answers it completely. @returns null if the campaign ended before */
async function sent(
  buying: Buying,
  send: (address: string) => Promise<SitePageAnswer>,
): Promise<SitePageAnswer | null> {
  while (buying.goesOn) {
    const one = buying.serving[Math.floor(buying.random() * buying.serving.length)];
    const answer = one === undefined ? null : await send(one.address).catch(() => null);
    // Its attempts are used up until the next start.
    if (answer !== null && ![429, 503].includes(answer.status)) return answer;
    await elapsed(PAUSE_MS);
  }
  return null;
}

/** A browser of a person, which stays signed in. */
function browserOf(buying: Buying, { email }: Buyer) {
  const cookies = new Map<string, string>();
  const at = (address: string): Visitor => {
    const visitor = remoteVisitor(address, false);
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    return visitor;
  };
  const keeping = async (visitor: Visitor, answer: Promise<SitePageAnswer>) => {
    const got = await answer;
    for (const [name, value] of visitor.cookies) cookies.set(name, value);
    return got;
  };
  const signedIn = () =>
    sent(buying, (address) => {
      const visitor = at(address);
      return keeping(visitor, visitor.signIn(email));
    });
  const send = async (of: (visitor: Visitor) => Promise<SitePageAnswer>) => {
    if (cookies.size === 0) await signedIn();
    return sent(buying, (address) => of(at(address)));
  };
  return {
    get: (path: string) => send((visitor) => visitor.get(path)),
    post: (action: string) => send((visitor) => visitor.post(PLAN, { action })),
  };
}

/** Buys, renews, fails to pay, cancels and buys again, until the campaign ends. */
export async function buyOnAndOn(buying: Buying, buyer: Buyer): Promise<void> {
  const { stripe, random } = buying;
  const browser = browserOf(buying, buyer);
  const goesOn = (): boolean =>
    buyer.subscriptions.some((id) => stripe.subscription(id).status !== "canceled");
  while (buying.goesOn) {
    // Now and then from two windows at once.
    const windows = random() < 0.3 ? 2 : 1;
    const answers = await Promise.all(
      Array.from({ length: windows }, () => browser.post("buy-growth")),
    );
    for (const answer of answers) {
      const session = /\/pay\/(cs_\w+)/.exec(answer?.headers.get("refresh") ?? "")?.[1];
      if (answer?.status === 409) {
        if (!goesOn()) buying.faults.push(`nothing is sold to ${buyer.email}: ${answer.html}`);
      } else if (session === undefined) {
        if (answer !== null) buying.faults.push(`${answer.status}: ${answer.html.slice(0, 500)}`);
      } else if (stripe.sessions.get(session)?.status === "open") {
        if (goesOn()) buying.faults.push(`${buyer.email} may pay twice`);
        buyer.subscriptions.push(stripe.pay(session).id);
        buying.onStep("came back");
        if (random() < 0.5) void browser.get(`${PLAN}?session=${session}`);
      }
    }
    const id = buyer.subscriptions.at(-1);
    if (id === undefined || !goesOn()) continue;
    for (let left = Math.floor(random() * 4); left > 0; left--) {
      await elapsed(random() * 200);
      stripe.rollOver(id);
      if (random() < 0.4) stripe.settle(id, false);
      stripe.settle(id, true);
    }
    await elapsed(random() * 200);
    if (random() < 0.5) stripe.cancel(id);
    stripe.end(id);
  }
}

/** Asks staff for another plan, or pays elsewhere, and gets it from the operator's program. */
export async function askOnAndOn(buying: Buying, buyer: Buyer): Promise<void> {
  const browser = browserOf(buying, buyer);
  for (let round = 1; buying.goesOn; round++) {
    const plan = round % 2 === 0 ? "start" : "profi";
    if (plan === "start") {
      buyer.asked.sent += 1;
      buying.onStep("asked");
      const answer = await browser.post(`ask-${plan}`);
      if (answer === null) return;
      buyer.asked.answered += 1;
      // It was asked for before the process was killed.
      if (![303, 409].includes(answer.status)) buying.faults.push(`asked: ${answer.status}`);
    } else {
      // Another node's copy may still have the plan of before.
      let page = await browser.get(PLAN);
      while (page !== null && !page.html.includes(`client_reference_id=${buyer.organization}"`)) {
        await elapsed(PAUSE_MS);
        page = await browser.get(PLAN);
      }
      if (page === null) return;
    }
    const ends = new Date(Date.UTC(2030, 0, round)).toISOString().slice(0, 10);
    const path = `/operator/v1/organizations/${buyer.organization}/plan/`;
    buying.onStep("granted");
    const granted = await sent(buying, async (address) => {
      const { status, body } = await call({ address }, buying.key, "POST", path, { plan, ends });
      return { status, body, headers: new Headers(), html: "", location: null };
    });
    if (granted === null) {
      buyer.granted = null;
      return;
    }
    if (granted.status !== 200) buying.faults.push(`granted: ${JSON.stringify(granted.body)}`);
    buyer.granted = { plan, ends };
  }
}

/** Sends Stripe's events in any order, each until it is taken, and some of them again. */
export async function sendEventsOnAndOn(buying: Buying): Promise<void> {
  const { stripe, random } = buying;
  const waiting: { id: string; body: string }[] = [];
  for (;;) {
    waiting.push(...stripe.take());
    for (const { id } of waiting) buying.events.add(id);
    const [event] = waiting.splice(Math.floor(random() * waiting.length), 1);
    if (event === undefined && buying.isOver) return;
    const one = buying.serving[Math.floor(random() * buying.serving.length)];
    if (event === undefined || one === undefined) {
      if (event !== undefined) waiting.push(event);
      await elapsed(PAUSE_MS);
      continue;
    }
    buying.onStep("event");
    const signature = stripe.signed(event.body, STRIPE_SECRET, Date.now());
    const headers = { "content-type": "application/json", "stripe-signature": signature };
    const init = { method: "POST", headers, body: event.body, keepalive: false };
    const answer = await fetch(`${one.address}/billing/stripe/`, init).catch(() => null);
    if (answer !== null && ![200, 503].includes(answer.status)) {
      buying.faults.push(`event: ${answer.status} ${await answer.text()}`);
    }
    if (answer?.status !== 200 || random() < 0.2) waiting.push(event);
  }
}
