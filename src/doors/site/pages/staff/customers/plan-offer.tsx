/** @jsxImportSource hono/jsx */
import type { Plan } from "../../../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode } from "../../../../../customers/accounts/plan.ts";
import {
  BUYINGS,
  type OfferChange,
  offerOf,
  PRICE_PERIODS,
} from "../../../../../customers/accounts/plan-offer.ts";
import { LANGUAGES } from "../../../../../values/messages/language.ts";
import { WORDS } from "../../../../../words/words.ts";
import { requiredChoice } from "../../../forms/faults.ts";
import { CheckField, Form, SelectField, TextField } from "../../../look/form.tsx";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { currentActor } from "../../../visit/viewer.ts";

const TEXT_PARTS = ["name", "text", "price"] as const;

/** How the plan is offered: its words in each language, its price, and how it is bought. */
export function OfferForm({ plan }: { plan: Plan }) {
  const visit = useVisit();
  const words = visit.words.plansPage;
  const offer = offerOf(plan);
  const shown = (value: string | number | null) => (value === null ? "" : String(value));
  return (
    <details open={visit.form.get("action") === `offer-${plan.code}`}>
      <summary>{words.offer}</summary>
      <Form action={`offer-${plan.code}`} submit={visit.words.save}>
        <CheckField name="offered" label={words.offered} value={offer.isOffered ? "yes" : ""} />
        <div class="filters numbers">
          <TextField name="price" label={words.price} value={shown(offer.price)} required={false} />
          <TextField
            name="currency"
            label={words.currency}
            value={shown(offer.currency)}
            required={false}
          />
          <SelectField
            name="per"
            label={words.per}
            options={PRICE_PERIODS}
            names={words.periods}
            value={offer.per}
          />
          <TextField name="order" label={words.order} value={shown(offer.order)} />
        </div>
        <SelectField
          name="buy"
          label={words.buy}
          options={BUYINGS}
          names={words.buyings}
          value={offer.buy}
        />
        <TextField
          name="link"
          label={words.link}
          hint={words.linkHint}
          value={shown(offer.link)}
          required={false}
        />
        <TextField
          name="stripe_price"
          label={words.stripePrice}
          hint={words.stripePriceHint}
          value={shown(offer.stripePrice)}
          required={false}
        />
        {LANGUAGES.flatMap((language) =>
          TEXT_PARTS.map((part) => (
            <TextField
              name={`${part}_${language}`}
              label={`${words.texts[part]}, ${WORDS[language].languageName}`}
              value={shown(offer.texts[language][part])}
              required={false}
            />
          )),
        )}
      </Form>
    </details>
  );
}

export const offerActions = Object.fromEntries(
  PLAN_CODES.map((code) => [`offer-${code}`, () => setOffer(code)]),
);

async function setOffer(code: PlanCode): Promise<View> {
  const { form } = useVisit();
  const text = (name: string) => form.get(name).trim() || null;
  // Text that is not a number is outside any range, and is reported as such at its field.
  const number = (name: string) =>
    /^\d+$/.test(text(name) ?? "") ? Number(text(name)) : Number.NaN;
  const change: OfferChange = {
    isOffered: form.isChecked("offered"),
    order: number("order"),
    price: text("price") === null ? null : number("price"),
    currency: text("currency"),
    per: requiredChoice(PRICE_PERIODS, form.get("per")),
    buy: requiredChoice(BUYINGS, form.get("buy")),
    link: text("link"),
    stripePrice: text("stripe_price"),
    texts: Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        Object.fromEntries(TEXT_PARTS.map((part) => [part, text(`${part}_${language}`)])),
      ]),
    ),
  };
  await useSite().accounts.changeOffer(code, change, currentActor());
  return redirect("/staff/plans/?done=plan.set");
}
