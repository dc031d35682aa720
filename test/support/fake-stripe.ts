import type Stripe from "stripe";

/**
 * Stripe as its published API description shows it to one account: customers, prices, Checkout, subscriptions
 * with their invoices, the portal, and signed events, which are sent when the test says so. Its pages are plain
 * forms, for journeys in a browser. Answers have the types of its library, which are made from the description.
 */

export const STRIPE_KEY = "sk_test_4eC39HqLyjWDarjtT1zdp7dc";
export const STRIPE_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const MONTH_S = 30 * 24 * 60 * 60;

type Subscription = Pick<
  Stripe.Subscription,
  "id" | "object" | "livemode" | "status" | "cancel_at_period_end" | "cancel_at" | "metadata"
> & { customer: string; price: string; start: number; end: number; invoice: Invoice };
type Invoice = Pick<Stripe.Invoice, "id" | "object" | "status">;
type Price = Pick<
  Stripe.Price,
  "id" | "object" | "active" | "currency" | "unit_amount" | "livemode"
> & { recurring: Pick<Stripe.Price.Recurring, "interval" | "interval_count"> };
interface Session {
  id: string;
  customer: string;
  status: "open" | "complete" | "expired";
  given: URLSearchParams;
  subscription: string | null;
}
interface Charge {
  id: string;
  customer: string;
  currency: string;
  amount_refunded: number;
}

export type FakeStripe = ReturnType<typeof startFakeStripe>;

/** @param now the tests' clock */
export function startFakeStripe(now: () => number) {
  const prices = new Map<string, Price>();
  const customers = new Map<string, { id: string; deleted?: true }>();
  const sessions = new Map<string, Session>();
  const subscriptions = new Map<string, Subscription>();
  const charges = new Map<string, Charge>();
  const asked: string[] = [];
  const events: { id: string; type: string; body: string }[] = [];
  let numbers = 0;
  const id = (kind: string): string => `${kind}_${String(++numbers).padStart(8, "0")}`;
  const nowS = (): number => Math.floor(now() / 1000);
  const state = { isDown: false, isLive: false, onAsked: (_request: string) => {} };

  /** An event that waits to be sent. */
  function happened(type: string, object: object): void {
    const event = {
      ...{ id: id("evt"), object: "event", api_version: "2026-10-28.endive", type },
      ...{ created: nowS(), livemode: state.isLive, data: { object } },
    };
    events.push({ id: event.id, type, body: JSON.stringify(event) });
  }

  function shown(of: Subscription): object {
    const { price, start, end, invoice, ...rest } = of;
    return {
      ...rest,
      latest_invoice: invoice,
      items: {
        object: "list",
        data: [{ price: prices.get(price), current_period_start: start, current_period_end: end }],
      },
    };
  }

  const invoiceOf = (of: Subscription) => ({
    ...of.invoice,
    parent: { type: "subscription_details", subscription_details: { subscription: of.id } },
  });

  const changed = (of: Subscription) => happened("customer.subscription.updated", shown(of));

  function sessionOf(one: Session): object {
    return {
      ...{ id: one.id, object: "checkout.session", status: one.status, livemode: state.isLive },
      ...{ customer: one.customer, subscription: one.subscription },
      client_reference_id: one.given.get("client_reference_id"),
      url: one.status === "open" ? `${server.url.origin}/pay/${one.id}` : null,
    };
  }

  /** A customer pays on the payment page. */
  function pay(sessionId: string): Subscription {
    const session = sessions.get(sessionId);
    if (session?.status !== "open") throw new Error(`the payment page ${sessionId} is closed`);
    session.status = "complete";
    const made: Subscription = {
      ...{ id: id("sub"), object: "subscription", livemode: state.isLive, status: "active" },
      ...{ cancel_at_period_end: false, cancel_at: null, customer: session.customer },
      metadata: {
        organization: session.given.get("subscription_data[metadata][organization]") ?? "",
        plan: session.given.get("subscription_data[metadata][plan]") ?? "",
      },
      price: session.given.get("line_items[0][price]") ?? "",
      ...{ start: nowS(), end: nowS() + MONTH_S },
      invoice: { id: id("in"), object: "invoice", status: "paid" },
    };
    session.subscription = made.id;
    subscriptions.set(made.id, made);
    happened("customer.subscription.created", shown(made));
    happened("invoice.paid", invoiceOf(made));
    happened("checkout.session.completed", sessionOf(session));
    return made;
  }

  const one = (subscription: string): Subscription => {
    const found = subscriptions.get(subscription);
    if (found === undefined) throw new Error(`there is no ${subscription}`);
    return found;
  };

  /** The next period begins, whose invoice is a draft for an hour. */
  function rollOver(subscription: string): void {
    const of = one(subscription);
    of.start = of.end;
    of.end += MONTH_S;
    of.invoice = { id: id("in"), object: "invoice", status: "draft" };
    changed(of);
  }

  function settle(subscription: string, isPaid: boolean): void {
    const of = one(subscription);
    of.invoice.status = isPaid ? "paid" : "open";
    of.status = isPaid ? "active" : "past_due";
    happened(isPaid ? "invoice.paid" : "invoice.payment_failed", invoiceOf(of));
    changed(of);
  }

  function cancel(subscription: string): void {
    const of = one(subscription);
    of.cancel_at_period_end = true;
    changed(of);
  }

  function end(subscription: string): void {
    const of = one(subscription);
    of.status = "canceled";
    happened("customer.subscription.deleted", shown(of));
  }

  function refund(subscription: string, amount: number): void {
    const { customer, price } = one(subscription);
    const charge = {
      ...{ id: id("ch"), object: "charge", customer, amount_refunded: amount },
      currency: prices.get(price)?.currency ?? "",
    };
    charges.set(charge.id, charge);
    happened("charge.refunded", charge);
  }

  const missing = () =>
    Response.json(
      { error: { type: "invalid_request_error", code: "resource_missing", message: "No such" } },
      { status: 404 },
    );

  const refused = () =>
    Response.json({ error: { type: "invalid_request_error" } }, { status: 400 });

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const given = new URLSearchParams(request.method === "POST" ? await request.text() : "");
    if (pathname.startsWith("/pay/") || pathname.startsWith("/portal/")) {
      return page(pathname, given.get("do"));
    }
    asked.push(`${request.method} ${pathname}`);
    state.onAsked(`${request.method} ${pathname}`);
    if (request.headers.get("authorization") !== `Bearer ${STRIPE_KEY}`) {
      return Response.json({ error: { type: "invalid_request_error" } }, { status: 401 });
    }
    if (state.isDown) return Response.json({ error: { type: "api_error" } }, { status: 500 });
    const [, , kind = "", name = "", more = ""] = pathname.split("/");
    const path = kind === "checkout" || kind === "billing_portal" ? `${kind}/${name}` : kind;
    const of = path === kind ? name : more;
    switch (path) {
      case "prices":
        return prices.has(of) ? Response.json(prices.get(of)) : missing();
      case "customers": {
        if (request.method === "GET") {
          return customers.has(of) ? Response.json(customers.get(of)) : missing();
        }
        const made = { id: id("cus"), object: "customer" };
        customers.set(made.id, made);
        return Response.json(made);
      }
      case "checkout/sessions": {
        if (request.method === "GET" && of === "") {
          // Stripe lists the newest first.
          const data = [...sessions.values()]
            .reverse()
            .filter(
              ({ customer, status }) =>
                customer === searchParams.get("customer") && status === searchParams.get("status"),
            );
          return Response.json({ object: "list", has_more: false, data: data.map(sessionOf) });
        }
        const found = sessions.get(of);
        if (of !== "") {
          if (found === undefined) return missing();
          if (pathname.endsWith("/expire")) {
            if (found.status !== "open") return refused();
            found.status = "expired";
          }
          return Response.json(sessionOf(found));
        }
        const made: Session = {
          ...{ id: id("cs_test"), customer: given.get("customer") ?? "", status: "open", given },
          subscription: null,
        };
        if (!customers.has(made.customer)) return missing();
        sessions.set(made.id, made);
        return Response.json(sessionOf(made));
      }
      case "billing_portal/sessions": {
        const back = encodeURIComponent(given.get("return_url") ?? "");
        const url = `${server.url.origin}/portal/${given.get("customer")}/${back}`;
        return Response.json({ id: id("bps"), object: "billing_portal.session", url });
      }
      case "subscriptions": {
        if (of === "") {
          const data = [...subscriptions.values()].filter(
            ({ customer, status }) =>
              customer === searchParams.get("customer") && status !== "canceled",
          );
          return Response.json({ object: "list", has_more: false, data: data.map(shown) });
        }
        const found = subscriptions.get(of);
        return found === undefined ? missing() : Response.json(shown(found));
      }
      case "charges":
        return charges.has(of) ? Response.json(charges.get(of)) : missing();
      default:
        return missing();
    }
  }

  /** The payment page and the portal, each one form. */
  function page(path: string, does: string | null): Response {
    const [, kind, name = "", back = ""] = path.split("/");
    if (kind === "pay" && does !== null) {
      pay(name);
      const to = sessions.get(name)?.given.get("success_url") ?? "";
      return Response.redirect(to.replace("{CHECKOUT_SESSION_ID}", name), 303);
    }
    if (does !== null) {
      const of = [...subscriptions.values()].find(({ customer }) => customer === name);
      if (of !== undefined) cancel(of.id);
      return Response.redirect(decodeURIComponent(back), 303);
    }
    const html = `<!doctype html><title>Stripe</title><form method="post">
      <button name="do" value="it">${kind === "pay" ? "Pay" : "Cancel subscription"}</button></form>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  }

  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });

  return {
    address: server.url.origin,
    asked,
    events,
    state,
    sessions,
    customers,
    addPrice(
      price: string,
      amount: number,
      currency = "eur",
      interval: "month" | "year" = "month",
    ) {
      prices.set(price, {
        ...{ id: price, object: "price", active: true, currency, unit_amount: amount },
        ...{ livemode: state.isLive, recurring: { interval, interval_count: 1 } },
      });
    },
    pay,
    rollOver,
    settle,
    cancel,
    end,
    refund,
    subscription: one,
    /** The subscription that was bought last. */
    latest: () => [...subscriptions.values()].at(-1) as Subscription,
    /** Events that were not taken yet, which wait no longer. */
    take: () => events.splice(0),
    /** The signature with which Stripe sends a body. */
    signed(body: string, secret = STRIPE_SECRET, atMs = now()): string {
      const t = Math.floor(atMs / 1000);
      const hmac = new Bun.CryptoHasher("sha256", secret).update(`${t}.${body}`).digest("hex");
      return `t=${t},v1=${hmac}`;
    },
    close: () => server.stop(true),
  };
}
