import { type FieldFaults, fieldError } from "../../errors.ts";
import { LANGUAGES, type Language, message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import type { Plan } from "./accounts.table.ts";

/** Plans of the specification (section 1), from lowest to highest, which stay; staff may add others. */
export const PLAN_CODES: readonly string[] = ["test", "start", "growth", "profi"];
export type PlanCode = string;

/** Plans in all. Pages show each of them, and serving processes cache them. */
export const PLANS_MAX = 50;
const PLAN_CODE = /^[a-z][a-z0-9-]{0,29}$/;

/** @throws AppError `invalid` on `code` */
export function requiredPlanCode(text: string): PlanCode {
  const code = text.trim();
  if (!PLAN_CODE.test(code)) throw fieldError({ code: [message("notPlanCode")] });
  return code;
}

/** Plan that applies once an organization's own has ended. */
export const FALLBACK_PLAN = "test";

export const PERIOD_DAYS = 30;
export const PERIOD_MS = PERIOD_DAYS * DAY_MS;

export interface PlanTerm {
  plan: PlanCode;
  planStartedAt: number;
  /** When the plan ends, exclusive; null for never. */
  planEndsAt: number | null;
}

export interface PlanInForce {
  plan: PlanCode;
  startedAt: number;
  endsAt: number | null;
}

/** The plan in force at an instant: the assigned one, or `test` once that has ended. */
export function planInForce(term: PlanTerm, nowMs: number): PlanInForce {
  const { plan, planStartedAt, planEndsAt } = term;
  if (planEndsAt !== null && nowMs >= planEndsAt) {
    return { plan: FALLBACK_PLAN, startedAt: planEndsAt, endsAt: planEndsAt };
  }
  return { plan, startedAt: planStartedAt, endsAt: planEndsAt };
}

export interface Period {
  startedAt: number;
  /** Exclusive: the start of the next period. */
  endsAt: number;
}

/** The fixed 30-day period that contains an instant, counted from the plan's start. */
export function periodAt(planStartedAt: number, nowMs: number): Period {
  const elapsed = Math.max(0, Math.floor((nowMs - planStartedAt) / PERIOD_MS));
  const startedAt = planStartedAt + elapsed * PERIOD_MS;
  return { startedAt, endsAt: startedAt + PERIOD_MS };
}

/**
 * The term after assigning a plan. Assigning the plan already in force keeps its start, so the period
 * continues. Another plan starts a new period, and so does renewing one that has ended, because `test` has
 * been in force since.
 */
export function nextTerm(
  term: PlanTerm,
  plan: PlanCode,
  planEndsAt: number | null,
  nowMs: number,
): PlanTerm {
  const inForce = planInForce(term, nowMs);
  return { plan, planStartedAt: plan === inForce.plan ? inForce.startedAt : nowMs, planEndsAt };
}

/** Limits of a plan that an operator may change, each with its permitted range. */
export const PLAN_LIMITS = {
  requestsPerSecond: { minimum: 1, maximum: 1_000_000 },
  requestsPerPeriod: { minimum: 1, maximum: 1_000_000_000_000 },
  webhooks: { minimum: 0, maximum: 1_000 },
  webhookChannels: { minimum: 0, maximum: 1_000_000 },
  alerts: { minimum: 0, maximum: 10_000 },
  databaseMsPerSecond: { minimum: 1, maximum: 64_000 },
  lockMsPerSecond: { minimum: 1, maximum: 1_000 },
} as const;

export type PlanChange = { [Limit in keyof typeof PLAN_LIMITS]?: number };

/** @throws AppError `invalid` for a number out of range */
export function requireLimits(change: PlanChange): void {
  for (const [limit, { minimum, maximum }] of Object.entries(PLAN_LIMITS)) {
    const value = change[limit as keyof PlanChange];
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || value < minimum || value > maximum) {
      throw fieldError({ [limit]: [message("outOfRange", { minimum, maximum })] });
    }
  }
}

/** How a plan is offered to customers: its words, its price, and how it is bought. */
export interface PlanOffer {
  isOffered: boolean;
  /** Its place among the plans, lowest first. */
  order: number;
  /** In whole minor units of the currency, such as kopecks; null if only words tell it. */
  price: number | null;
  /** ISO 4217. */
  currency: string | null;
  per: PricePeriod;
  buy: Buying;
  /** The payment page, for `link`. */
  link: string | null;
  /** The price's id at Stripe, for `stripe`. */
  stripePrice: string | null;
  texts: Record<Language, OfferTexts>;
}

export interface OfferTexts {
  /** Null for the plan's usual name. */
  name: string | null;
  text: string | null;
  /** Words in place of an amount, such as "by agreement". */
  price: string | null;
}

export const PRICE_PERIODS = ["month", "year"] as const;
type PricePeriod = (typeof PRICE_PERIODS)[number];

/** A request to staff, a payment page of the operator's, or a subscription at Stripe. */
export const BUYINGS = ["request", "link", "stripe"] as const;
type Buying = (typeof BUYINGS)[number];

/** As stored: what was never set is left out. */
export type StoredOffer = Partial<Omit<PlanOffer, "texts">> & {
  texts?: Partial<Record<Language, Partial<OfferTexts>>>;
};

export type OfferChange = StoredOffer;

const NO_TEXTS: OfferTexts = { name: null, text: null, price: null };

export function offerOf({ offer: { texts = {}, ...stored }, position }: Plan): PlanOffer {
  return {
    ...{ isOffered: true, order: position, price: null, currency: null, per: "month" },
    ...{ buy: "request", link: null, stripePrice: null },
    ...stored,
    texts: Object.fromEntries(
      LANGUAGES.map((language) => [language, { ...NO_TEXTS, ...texts[language] }]),
    ) as PlanOffer["texts"],
  };
}

export const PRICE_MAX = 1_000_000_000_000;
export const ORDER_MAX = 1_000;
const LENGTHS_MAX: Record<keyof OfferTexts, number> = { name: 40, text: 300, price: 60 };
const LINK_LENGTH_MAX = 500;
/** Replaced by the organization's number in the address of a payment page. */
const REFERENCE = "{organization}";

/** Puts a change into what is stored. @throws AppError `invalid`, naming the field as the API does */
export function changedOffer(plan: Plan, change: OfferChange): StoredOffer {
  const { texts: given = {}, ...others } = change;
  const texts = Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      { ...plan.offer.texts?.[language], ...given[language] },
    ]),
  );
  const stored: StoredOffer = { ...plan.offer, ...others, texts };
  const faults = faultsOf(offerOf({ ...plan, offer: stored }));
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return stored;
}

function faultsOf(offer: PlanOffer): FieldFaults {
  const { price, currency, buy, link, stripePrice, texts } = offer;
  const faults: FieldFaults = {};
  for (const [field, value, maximum] of [
    ["price", price ?? 0, PRICE_MAX],
    ["order", offer.order, ORDER_MAX],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0 || value > maximum) {
      faults[field] = [message("outOfRange", { minimum: 0, maximum })];
    }
  }
  if (price !== null && currency === null) faults["currency"] = [message("required")];
  if (currency !== null && !Intl.supportedValuesOf("currency").includes(currency)) {
    faults["currency"] = [message("notCurrency", { given: currency })];
  }
  if (buy === "link" && link === null) faults["link"] = [message("required")];
  if (link !== null && !isPaymentLink(link)) faults["link"] = [message("notHttpsAddress")];
  if (buy === "stripe" && stripePrice === null) faults["stripe_price"] = [message("required")];
  if (buy === "stripe" && !price) faults["price"] = [message("required")];
  if (stripePrice !== null && !/^price_\w{1,100}$/.test(stripePrice)) {
    faults["stripe_price"] = [message("notStripePrice")];
  }
  for (const language of LANGUAGES) {
    for (const [part, characters] of Object.entries(LENGTHS_MAX)) {
      const text = texts[language][part as keyof OfferTexts];
      const field = part === "price" ? `price_${language}` : `${part}_${language}`;
      if (text === null) continue;
      if (/\p{Cc}|\p{Bidi_Control}/u.test(text)) faults[field] = [message("controlCharacters")];
      else if ([...text].length > characters) faults[field] = [message("tooLong", { characters })];
    }
  }
  return faults;
}

function isPaymentLink(link: string): boolean {
  const address = link.replace(REFERENCE, "1");
  return (
    link.length <= LINK_LENGTH_MAX &&
    URL.canParse(address) &&
    new URL(address).protocol === "https:"
  );
}

/** Address of the payment page for an organization, which it gets as a reference. */
export function paymentLink(link: string, organizationId: number): string {
  if (link.includes(REFERENCE)) return link.replace(REFERENCE, String(organizationId));
  const address = new URL(link);
  address.searchParams.set("client_reference_id", String(organizationId));
  return address.href;
}

/** The offered plans in their order. */
export function inOrder(plans: readonly Plan[]): Plan[] {
  return plans
    .filter((plan) => offerOf(plan).isOffered)
    .toSorted((one, other) => offerOf(one).order - offerOf(other).order);
}
