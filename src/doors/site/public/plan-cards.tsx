/** @jsxImportSource hono/jsx */
import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { offerOf, type PlanOffer } from "../../../customers/accounts/plan.ts";
import { ownAmount } from "../../../customers/selling/stripe-amount.ts";
import type { Language } from "../../../values/messages/messages.ts";
import { WORDS, type Words } from "../../../words/words.ts";
import { formatNumber } from "../look/shown.tsx";
import { linkTo, useReader } from "./reader.tsx";

/** A plan's name as customers read it. */
export function planName(plan: Plan, language: Language): string {
  return offerOf(plan).texts[language].name ?? WORDS[language].planNames[plan.code] ?? plan.code;
}

/** The plans as the options of a choice. */
export const planOptions = (plans: readonly Plan[], language: Language) =>
  plans.map((plan) => ({ value: plan.code, label: planName(plan, language) }));

/** A plan's price in words, in the language's currency format; null if the operator gave none. */
function priceText({ price, currency, per, texts }: PlanOffer, language: Language): string | null {
  const words = texts[language].price;
  if (words !== null || price === null || currency === null) return words;
  const { startPage } = WORDS[language];
  return price === 0 ? startPage.free : startPage.pricePer(money(price, currency, language), per);
}

/** A plan's price in words, also if it is on request. */
export function planPrice(plan: Plan, language: Language): string {
  return priceText(offerOf(plan), language) ?? WORDS[language].startPage.priceOnRequest;
}

/** Money that went back, as Stripe counts it. */
export function refundText(
  { amount, currency }: { amount: number; currency: string },
  language: Language,
): string {
  return money(ownAmount(amount, currency), currency, language);
}

/** @param amount in whole minor units, without which whole amounts are shown */
function money(amount: number, currency: string, language: Language): string {
  const { locale } = WORDS[language];
  const usual = new Intl.NumberFormat(locale, { style: "currency", currency }).resolvedOptions();
  const digits = usual.maximumFractionDigits ?? 0;
  return formatNumber(locale, amount / 10 ** digits, {
    ...{ style: "currency", currency, currencyDisplay: "narrowSymbol" },
    minimumFractionDigits: amount % 10 ** digits === 0 ? 0 : digits,
  });
}

/** The plans side by side, with their prices. */
export function PlanCards({ plans }: { plans: readonly Plan[] }) {
  const reader = useReader();
  const { language, maySignUp } = reader;
  const texts = reader.words.startPage;
  return (
    <ul class="plans">
      {plans.map((plan, at) => (
        <li>
          <PlanFacts plan={plan} language={language} />
          {at === 0 && maySignUp ? (
            <a class="button" href={linkTo(reader, "/account/sign-up/")}>
              {texts.startHere}
            </a>
          ) : (
            <a class="button second" href={linkTo(reader, "/account/plan/")}>
              {texts.choose}
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A plan's name, price and contents. */
export function PlanFacts({ plan, language }: { plan: Plan; language: Language }) {
  const { text } = offerOf(plan).texts[language];
  return (
    <>
      <h3>
        <bdi>{planName(plan, language)}</bdi>
      </h3>
      <p class="price">{planPrice(plan, language)}</p>
      {text !== null && <p dir="auto">{text}</p>}
      <ul>
        {featuresOf(plan, WORDS[language]).map((feature) => (
          <li class="feature">{feature}</li>
        ))}
      </ul>
    </>
  );
}

/** Features of a plan, in words. */
function featuresOf(plan: Plan, { locale, startPage: texts }: Words): string[] {
  const { webhooks, webhookChannels, alerts, historyDays } = plan;
  const shown = (value: number) => formatNumber(locale, value);
  return [
    texts.units(shown(plan.requestsPerPeriod)),
    texts.rate(shown(plan.requestsPerSecond)),
    historyDays === null ? texts.allHistory : texts.lastHistory(historyDays),
    ...(plan.posts ? [texts.postsIncluded] : []),
    ...(webhooks > 0 ? [texts.webhooksIncluded(webhooks, shown(webhookChannels))] : []),
    ...(alerts > 0 ? [texts.alertsIncluded(alerts)] : []),
    ...(plan.exports ? [texts.exportIncluded] : []),
  ];
}
