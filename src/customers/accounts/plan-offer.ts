import { type FieldFaults, fieldError } from "../../errors.ts";
import { LANGUAGES, type Language } from "../../values/messages/language.ts";
import { message } from "../../values/messages/messages.ts";
import type { Plan } from "./accounts.table.ts";

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
export type PricePeriod = (typeof PRICE_PERIODS)[number];

/** A request to staff, a payment page of the operator's, or a subscription at Stripe. */
export const BUYINGS = ["request", "link", "stripe"] as const;
export type Buying = (typeof BUYINGS)[number];

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
export const REFERENCE = "{organization}";

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

/** The lowest of the offered plans that fit, in their order; undefined if none does. */
export function lowestOffered(
  plans: readonly Plan[],
  fits: (plan: Plan) => boolean,
): Plan | undefined {
  return inOrder(plans).find(fits);
}

/** The offered plans in their order. */
export function inOrder(plans: readonly Plan[]): Plan[] {
  return plans
    .filter((plan) => offerOf(plan).isOffered)
    .toSorted((one, other) => offerOf(one).order - offerOf(other).order);
}
