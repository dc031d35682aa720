import type StripeApi from "stripe";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { AppError } from "../../errors.ts";
import type { Ports } from "../../ports/ports.ts";
import { parseNumber } from "../../values/fields.ts";
import { madeOnce } from "../../values/kept-briefly.ts";
import { type Language, message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import { selectOrganization, selectPlans } from "../accounts/accounts.store.ts";
import type { Organization, Plan } from "../accounts/accounts.table.ts";
import { offerOf, PLAN_CODES } from "../accounts/plan.ts";
import {
  isKnownEvent,
  OVER,
  selectCustomer,
  selectCustomersOrganization,
  selectRefunds,
  selectSubscription,
  selectSubscriptions,
  selectUnheard,
} from "./selling.store.ts";
import { stripeAmount } from "./stripe-amount.ts";
import type { SeenSubscription, sellingChanges } from "./subscription-changes.ts";

/** The longest that Stripe may take to answer a request, of which the library repeats one that failed. */
const ANSWER_MAX_MS = 10_000;
const HOUR_MS = 60 * 60 * 1000;
/** Subscriptions asked for in one look. */
const LOOK_MAX = 20;
/** How often a state is fetched again because another one was stored meanwhile. */
const TRIES_MAX = 5;

export type Stripe = ReturnType<typeof createStripe>;

/** A purchase: the plan, and where the customer comes back to. */
export interface Purchase {
  organization: Organization;
  plan: Plan;
  email: string;
  language: Language;
  /** The page that they come from, with the appliance's address. */
  page: string;
}

/**
 * Subscriptions through Stripe. An event only says which subscription to ask for: what follows from it is what
 * Stripe answers now, so that events may come twice, late and in any order. Cards are seen by Stripe only.
 * @param db for reading
 * @param changes run on a writing connection
 */
export function createStripe(
  db: Database,
  changes: Calls<ReturnType<typeof sellingChanges>>,
  { stripeKey: key, stripeWebhookSecret: secret, stripeApi }: StripeSettings,
  { clock, log }: Pick<Ports, "clock" | "log">,
) {
  const isLive = key.includes("_live_");
  const { hostname, port, protocol } = new URL(stripeApi);
  /** Loaded by the first use, because it is large. */
  const loaded = madeOnce(async () => {
    const { default: Api } = await import("stripe");
    return new Api(key, {
      host: hostname,
      port: port === "" ? 443 : port,
      protocol: protocol === "http:" ? "http" : "https",
      httpClient: Api.createFetchHttpClient(),
      timeout: ANSWER_MAX_MS,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  });

  /** @throws AppError `unavailable` if Stripe does not answer, or refuses; the log has the reason */
  async function ask<T>(question: (api: StripeApi) => Promise<T>): Promise<T> {
    try {
      return await question(await loaded());
    } catch (error) {
      if (isMissing(error)) throw error;
      throw new AppError("unavailable", message("stripeSilent"), { cause: error, retryAfterS: 60 });
    }
  }

  /** State of a subscription at Stripe now; null if it is none of ours. */
  async function see(id: string): Promise<SeenSubscription | null> {
    const found = await orNull(
      ask((api) => api.subscriptions.retrieve(id, { expand: ["latest_invoice"] })),
    );
    return found === null || found.livemode !== isLive ? null : seenSubscription(db, found);
  }

  async function follow(id: string, event: string | null): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const version = selectSubscription(db, { id })?.version ?? 0;
      const seen = await see(id);
      if (seen === null) {
        log.warn(
          { subscription: id, event },
          "Stripe told of a subscription that no organization has",
        );
        return;
      }
      if (await changes.followSubscription(seen, event, version)) return;
    }
    throw new AppError("unavailable", message("stripeSilent"), { retryAfterS: 1 });
  }

  async function followRefund(chargeId: string, event: string): Promise<void> {
    const charge = await orNull(ask((api) => api.charges.retrieve(chargeId)));
    const customer = idOf(charge?.customer);
    const organizationId = customer === null ? null : selectCustomersOrganization(db, { customer });
    if (charge === null || organizationId === null) return;
    const { id, amount_refunded: amount, currency } = charge;
    await changes.noteRefund({ charge: id, organizationId, amount, currency }, event);
  }

  /** The organization's customer at Stripe, made if there is none, or none any more. */
  async function customerOf({ organization: { id, name }, email }: Purchase): Promise<string> {
    const known = selectCustomer(db, { organizationId: id });
    if (known !== null) {
      const found = await orNull(ask((api) => api.customers.retrieve(known)));
      if (found !== null && found.deleted !== true) return known;
    }
    const metadata = { organization: String(id) };
    const made = await ask((api) => api.customers.create({ name, email, metadata }));
    await changes.noteCustomer(id, made.id);
    return made.id;
  }

  /** @throws AppError `conflict` if Stripe's price is not the one that the page shows */
  async function requireSamePrice({ code, ...plan }: Plan): Promise<string> {
    const offer = offerOf({ code, ...plan });
    const { price, currency, per, stripePrice } = offer;
    if (offer.buy !== "stripe" || stripePrice === null || price === null || currency === null) {
      throw new AppError("conflict", message("notSold"));
    }
    const found = await orNull(ask((api) => api.prices.retrieve(stripePrice)));
    const isSame =
      found?.active === true &&
      found.unit_amount === stripeAmount(price, currency) &&
      found.currency === currency.toLowerCase() &&
      found.recurring?.interval === per &&
      found.recurring.interval_count === 1;
    if (isSame) return stripePrice;
    log.error({ plan: code, stripePrice }, "Stripe's price is not the one of the plan's offer");
    throw new AppError("conflict", message("priceDiffers"));
  }

  return {
    /**
     * Opens Stripe's payment page. @returns its address
     * @throws AppError `conflict` for a plan that cannot be bought so, or while a subscription goes on;
     * `unavailable`
     */
    async checkout(purchase: Purchase): Promise<string> {
      const { organization, plan, language, page } = purchase;
      if (this.subscription(organization.id) !== null) {
        throw new AppError("conflict", message("subscriptionGoesOn"));
      }
      const price = await requireSamePrice(plan);
      const customer = await customerOf(purchase);
      // Two open payment pages might both be paid.
      const open = await ask((api) =>
        api.checkout.sessions.list({ customer, status: "open", limit: 100 }),
      );
      for (const { id } of open.data) await ask((api) => api.checkout.sessions.expire(id));
      const metadata = { organization: String(organization.id), plan: plan.code };
      const session = await ask((api) =>
        api.checkout.sessions.create({
          mode: "subscription",
          customer,
          client_reference_id: String(organization.id),
          line_items: [{ price, quantity: 1 }],
          locale: language,
          success_url: `${page}?session={CHECKOUT_SESSION_ID}`,
          cancel_url: page,
          subscription_data: { metadata },
          metadata,
        }),
      );
      if (session.url === null) throw new AppError("unavailable", message("stripeSilent"));
      return session.url;
    },

    /** Looks at once at what was paid, before Stripe's event arrives, when a customer comes back. Never throws. */
    async returned(sessionId: string, organizationId: number): Promise<void> {
      if (!/^cs_\w{1,200}$/.test(sessionId)) return;
      try {
        const session = await orNull(ask((api) => api.checkout.sessions.retrieve(sessionId)));
        if (session?.client_reference_id !== String(organizationId)) return;
        const subscription = idOf(session.subscription);
        if (subscription !== null) await follow(subscription, null);
      } catch (error) {
        log.warn({ err: error }, "Stripe was not heard; its event will tell what was paid");
      }
    },

    /** Address of Stripe's page where the organization changes its card, sees invoices and cancels. */
    async portal(organizationId: number, language: Language, page: string): Promise<string> {
      const customer = selectCustomer(db, { organizationId });
      if (customer === null) throw new AppError("conflict", message("notSold"));
      const session = await ask((api) =>
        api.billingPortal.sessions.create({ customer, locale: language, return_url: page }),
      );
      return session.url;
    },

    /**
     * Carries out an event, which is stored in the transaction of what follows from it.
     * @throws AppError `invalid` if Stripe did not sign it; `unavailable`, so that Stripe sends it again
     */
    async receive(body: Uint8Array, signature: string): Promise<void> {
      const api = await loaded();
      const text = new TextDecoder().decode(body);
      let event: StripeApi.Event;
      try {
        const { webhooks } = api;
        event = await webhooks.constructEventAsync(text, signature, secret, ...at(clock.now()));
      } catch {
        throw new AppError("invalid", message("stripeNotSigned"));
      }
      if (event.livemode !== isLive) {
        log.warn({ event: event.id }, "Stripe sent an event of its other mode, test or live");
        return;
      }
      if (isKnownEvent(db, { id: event.id })) return;
      const about = subjectOf(event);
      if (about?.kind === "subscription") await follow(about.id, event.id);
      if (about?.kind === "charge") await followRefund(about.id, event.id);
    },

    /** Asks for subscriptions whose events may have been lost. Never throws. */
    async look(): Promise<void> {
      const nowMs = clock.now();
      const since = { dayAgo: nowMs - DAY_MS, hourAgo: nowMs - HOUR_MS, nowMs, limit: LOOK_MAX };
      for (const id of selectUnheard(db, since)) {
        try {
          await follow(id, null);
        } catch (error) {
          log.warn({ err: error, subscription: id }, "Stripe was not heard; it is asked again");
          return;
        }
      }
    },

    /** The organization's subscription that goes on; null if there is none. */
    subscription: (organizationId: number) =>
      selectSubscriptions(db, { organizationId }).find(
        ({ status, paidUntil }) => !OVER.includes(status) && paidUntil !== null,
      ) ?? null,
    refunds: (organizationId: number) => selectRefunds(db, { organizationId }),
  };
}

export interface StripeSettings {
  stripeKey: string;
  stripeWebhookSecret: string;
  stripeApi: string;
}

/** The library's default tolerance and crypto, and the appliance's own time. */
function at(nowMs: number): [undefined, undefined, number] {
  return [undefined, undefined, nowMs];
}

/** The object to ask Stripe for after an event; null if the event changes no organization's plan. */
function subjectOf({
  type,
  data,
}: StripeApi.Event): { kind: "subscription" | "charge"; id: string } | null {
  // Its shape is that of the API version of the address at Stripe, which may be older than the library.
  // biome-ignore lint/suspicious/noExplicitAny: only ids are read, and each is checked
  const object = data.object as any;
  const subscription = type.startsWith("customer.subscription.")
    ? object.id
    : type.startsWith("invoice.")
      ? (object.parent?.subscription_details?.subscription ?? object.subscription)
      : type.startsWith("checkout.session.")
        ? object.subscription
        : null;
  const charge = type.startsWith("charge.refund") || type.startsWith("refund.");
  if (charge) {
    const id = idOf(object.object === "charge" ? object : object.charge);
    return id === null ? null : { kind: "charge", id };
  }
  const id = idOf(subscription);
  return id === null ? null : { kind: "subscription", id };
}

/** Id of an object that may be expanded; null if there is none. */
function idOf(of: unknown): string | null {
  const id = typeof of === "object" && of !== null ? (of as { id?: unknown }).id : of;
  return typeof id === "string" ? id : null;
}

function seenSubscription(db: Database, found: StripeApi.Subscription): SeenSubscription | null {
  const organizationId = parseNumber(found.metadata["organization"] ?? "");
  const [item] = found.items.data;
  if (organizationId === null || item === undefined) return null;
  if (selectOrganization(db, { id: organizationId }) === undefined) return null;
  // In Stripe's portal a customer may have changed to the price of another plan.
  const byPrice = selectPlans(db).find((plan) => offerOf(plan).stripePrice === item.price.id)?.code;
  const plan = byPrice ?? PLAN_CODES.find((code) => code === found.metadata["plan"]);
  if (plan === undefined) return null;
  const invoice = typeof found.latest_invoice === "object" ? found.latest_invoice : null;
  return {
    id: found.id,
    organizationId,
    customer: idOf(found.customer) ?? "",
    plan,
    status: found.status,
    isEnding: found.cancel_at_period_end || found.cancel_at !== null,
    // The period moves on before its invoice is paid.
    paidUntil: invoice?.status === "paid" ? item.current_period_end * 1000 : null,
  };
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "resource_missing";
}

/** Null for what Stripe does not have. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
