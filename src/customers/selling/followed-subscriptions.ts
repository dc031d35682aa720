import type StripeApi from "stripe";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { AppError } from "../../errors.ts";
import type { Ports } from "../../ports/ports.ts";
import { parseNumber } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import { selectOrganization, selectPlans } from "../accounts/accounts.store.ts";
import { offerOf } from "../accounts/plan.ts";
import {
  isKnownEvent,
  selectCustomersOrganization,
  selectSubscription,
  selectUnheard,
} from "./selling.store.ts";
import { idOf, type StripeQuestions } from "./stripe-questions.ts";
import type { SeenSubscription, sellingChanges } from "./subscription-changes.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Subscriptions asked for in one look. */
const LOOK_MAX = 20;
/** How often a state is fetched again because another one was stored meanwhile. */
const TRIES_MAX = 5;

/**
 * Follows subscriptions at Stripe. An event only says which one to ask for: what follows from it is what Stripe
 * answers now, so that events may come twice, late and in any order.
 */
export function followSubscriptions(
  db: Database,
  changes: Calls<ReturnType<typeof sellingChanges>>,
  { isLive, loaded, askFor }: StripeQuestions,
  secret: string,
  { clock, log }: Pick<Ports, "clock" | "log">,
) {
  /** State of a subscription at Stripe now; null if it is none of ours. */
  async function see(id: string): Promise<SeenSubscription | null> {
    const found = await askFor((api) =>
      api.subscriptions.retrieve(id, { expand: ["latest_invoice"] }),
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
    const charge = await askFor((api) => api.charges.retrieve(chargeId));
    const customer = idOf(charge?.customer);
    const organizationId = customer === null ? null : selectCustomersOrganization(db, { customer });
    if (charge === null || organizationId === null) return;
    const { id, amount_refunded: amount, currency } = charge;
    await changes.noteRefund({ charge: id, organizationId, amount, currency }, event);
  }

  return {
    follow,

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
  };
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

function seenSubscription(db: Database, found: StripeApi.Subscription): SeenSubscription | null {
  const organizationId = parseNumber(found.metadata["organization"] ?? "");
  const [item] = found.items.data;
  if (organizationId === null || item === undefined) return null;
  if (selectOrganization(db, { id: organizationId }) === undefined) return null;
  // In Stripe's portal a customer may have changed to the price of another plan.
  const plans = selectPlans(db);
  const byPrice = plans.find((plan) => offerOf(plan).stripePrice === item.price.id);
  const plan = (byPrice ?? plans.find(({ code }) => code === found.metadata["plan"]))?.code;
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
