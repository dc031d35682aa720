/** @jsxImportSource hono/jsx */
import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { offerOf, type PlanOffer } from "../../../customers/accounts/plan-offer.ts";
import type { Language } from "../../../values/messages/language.ts";
import { hasExport } from "../../../verbs/plan-rules.ts";
import { WORDS } from "../../../words/words.ts";
import { formatNumber } from "../look/formats.ts";
import { linkTo, shownNumber, useReader } from "./reader.tsx";

/** A plan's name as customers read it. */
export function planName(plan: Plan, language: Language): string {
  return offerOf(plan).texts[language].name ?? WORDS[language].planNames[plan.code];
}

/** A plan's price in words, in the language's currency format; null if the operator gave none. */
export function priceText(
  { price, currency, per, texts }: PlanOffer,
  language: Language,
): string | null {
  const words = texts[language].price;
  if (words !== null || price === null || currency === null) return words;
  const { locale, startPage } = WORDS[language];
  if (price === 0) return startPage.free;
  const usual = new Intl.NumberFormat(locale, { style: "currency", currency }).resolvedOptions();
  const digits = usual.maximumFractionDigits ?? 0;
  const amount = formatNumber(locale, price / 10 ** digits, {
    ...{ style: "currency", currency, currencyDisplay: "narrowSymbol" },
    // Whole amounts are shown without the minor unit.
    minimumFractionDigits: price % 10 ** digits === 0 ? 0 : digits,
  });
  return startPage.pricePer(amount, per);
}

/** The plans side by side, with their prices. */
export function PlanCards({ plans }: { plans: readonly Plan[] }) {
  return (
    <ul class="plans">
      {plans.map((plan, at) => (
        <PlanCard plan={plan} isFirst={at === 0} />
      ))}
    </ul>
  );
}

function PlanCard({ plan, isFirst }: { plan: Plan; isFirst: boolean }) {
  const reader = useReader();
  const { words, language, maySignUp } = reader;
  const texts = words.startPage;
  const offer = offerOf(plan);
  const { text } = offer.texts[language];
  const price = priceText(offer, language);
  return (
    <li>
      <h3>
        <bdi>{planName(plan, language)}</bdi>
      </h3>
      <p class="price">{price ?? texts.priceOnRequest}</p>
      {text !== null && <p dir="auto">{text}</p>}
      <ul>
        {featuresOf(plan, texts).map((feature) => (
          <li class="feature">{feature}</li>
        ))}
      </ul>
      {isFirst && maySignUp ? (
        <a class="button" href={linkTo(reader, "/account/sign-up/")}>
          {texts.startHere}
        </a>
      ) : (
        <a class="button second" href={linkTo(reader, "/account/")}>
          {texts.choose}
        </a>
      )}
    </li>
  );
}

/** Features of a plan, in words. */
function featuresOf(plan: Plan, texts: (typeof WORDS)["en"]["startPage"]): string[] {
  const { webhooks, webhookChannels, alerts, historyDays } = plan;
  return [
    texts.units(shownNumber(plan.requestsPerPeriod)),
    texts.rate(shownNumber(plan.requestsPerSecond)),
    historyDays === null ? texts.allHistory : texts.lastHistory(historyDays),
    ...(plan.posts ? [texts.postsIncluded] : []),
    ...(webhooks > 0 ? [texts.webhooksIncluded(webhooks, shownNumber(webhookChannels))] : []),
    ...(alerts > 0 ? [texts.alertsIncluded(alerts)] : []),
    ...(hasExport(plan) ? [texts.exportIncluded] : []),
  ];
}
