import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { AppError } from "../../errors.ts";
import type { Ports } from "../../ports/ports.ts";
import { type Language, message } from "../../values/messages/messages.ts";
import type { Organization, Plan } from "../accounts/accounts.table.ts";
import { offerOf } from "../accounts/plan.ts";
import { followSubscriptions } from "./followed-subscriptions.ts";
import { OVER, selectCustomer, selectRefunds, selectSubscriptions } from "./selling.store.ts";
import { stripeAmount } from "./stripe-amount.ts";
import { idOf, stripeQuestions } from "./stripe-questions.ts";
import type { sellingChanges } from "./subscription-changes.ts";

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
 * Plans sold as subscriptions through Stripe, on its own pages: cards are seen by Stripe only.
 * @param db for reading
 * @param changes run on a writing connection
 */
export function createStripe(
  db: Database,
  changes: Calls<ReturnType<typeof sellingChanges>>,
  { stripeKey: key, stripeWebhookSecret: secret, stripeApi }: StripeSettings,
  ports: Pick<Ports, "clock" | "log">,
) {
  const questions = stripeQuestions(key, stripeApi);
  const { ask, askFor } = questions;
  const { follow, ...followed } = followSubscriptions(db, changes, questions, secret, ports);
  const { log } = ports;

  /** The organization's customer at Stripe, made if there is none, or none any more. */
  async function customerOf({ organization: { id, name }, email }: Purchase): Promise<string> {
    const known = selectCustomer(db, { organizationId: id });
    if (known !== null) {
      const found = await askFor((api) => api.customers.retrieve(known));
      if (found !== null && found.deleted !== true) return known;
    }
    const metadata = { organization: String(id) };
    const made = await ask((api) => api.customers.create({ name, email, metadata }));
    return changes.noteCustomer(id, made.id, known);
  }

  /** Closes a payment page, which a request at the same time may have closed before. */
  async function closePage(id: string): Promise<void> {
    try {
      await ask((api) => api.checkout.sessions.expire(id));
    } catch (error) {
      const { status } = await ask((api) => api.checkout.sessions.retrieve(id));
      if (status === "open") throw error;
    }
  }

  /**
   * Closes the organization's other payment pages, since two open ones might both be paid, and makes sure that
   * none was paid already: Stripe is asked, whose events may not have come.
   * @returns address of the page that stays open: the newest one, of two that are opened at once
   * @throws AppError `conflict` while a subscription goes on
   */
  async function onlyOpenPage(customer: string): Promise<string> {
    const { sessions } = (await questions.loaded()).checkout;
    const open = await ask(() => sessions.list({ customer, status: "open", limit: 100 }));
    const [newest, ...others] = open.data;
    for (const { id } of others) await closePage(id);
    const bought = await ask((api) => api.subscriptions.list({ customer, limit: 100 }));
    const going = bought.data.filter(({ status }) => ![...OVER, "incomplete"].includes(status));
    for (const { id } of going) await follow(id, null);
    if (going.length > 0) throw new AppError("conflict", message("subscriptionGoesOn"));
    if (newest?.url == null) throw new AppError("unavailable", message("stripeSilent"));
    return newest.url;
  }

  /** @throws AppError `conflict` if Stripe's price is not the one that the page shows */
  async function requireSamePrice({ code, ...plan }: Plan): Promise<string> {
    const offer = offerOf({ code, ...plan });
    const { price, currency, per, stripePrice } = offer;
    if (offer.buy !== "stripe" || stripePrice === null || price === null || currency === null) {
      throw new AppError("conflict", message("notSold"));
    }
    const found = await askFor((api) => api.prices.retrieve(stripePrice));
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
      const price = await requireSamePrice(plan);
      const customer = await customerOf(purchase);
      const metadata = { organization: String(organization.id), plan: plan.code };
      await ask((api) =>
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
      return onlyOpenPage(customer);
    },

    /** Looks at once at what was paid, before Stripe's event arrives, when a customer comes back. Never throws. */
    async returned(sessionId: string, organizationId: number): Promise<void> {
      if (!/^cs_\w{1,200}$/.test(sessionId)) return;
      try {
        const session = await askFor((api) => api.checkout.sessions.retrieve(sessionId));
        if (session?.client_reference_id !== String(organizationId)) return;
        const bought = idOf(session.subscription);
        if (bought !== null) await follow(bought, null);
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

    ...followed,
    /** The organization's subscription that goes on, as last heard; null if there is none. */
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
