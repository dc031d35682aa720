/** @jsxImportSource hono/jsx */
import type { Plan } from "../../../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { LANGUAGES } from "../../../../../values/messages/messages.ts";
import {
  limitsOf,
  offerRow,
  planOffers,
  plans,
} from "../../../../../verbs/operator/customers/plans.ts";
import { WORDS } from "../../../../../words/words.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { VerbForm } from "../../../look/verb-form.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { redirect, useVisit } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";

/** `/staff/plans/`: what each plan includes and how it is offered, for all its organizations. */
export const plansPage: SitePage = {
  path: "/staff/plans/",
  access: "staff",
  async show({ words }, { accounts }) {
    return consolePage(
      words.plansPage.title,
      <>
        <p>{words.plansPage.intro}</p>
        {(await accounts.plans()).map((plan) => (
          <section>
            <h2>{words.planNames[plan.code]}</h2>
            <VerbForm
              resource={plans}
              verb="set"
              action={`set-${plan.code}`}
              submit={words.save}
              className="filters numbers"
              values={limitsOf(plan)}
            />
            <OfferForm plan={plan} />
          </section>
        ))}
      </>,
    );
  },
  actions: Object.fromEntries(
    PLAN_CODES.flatMap((code) => {
      const of = () => code;
      const shows = () => redirect("/staff/plans/?done=plan.offer");
      return [
        [`set-${code}`, verbAction(plans, "set", { of })],
        [`offer-${code}`, verbAction(planOffers, "set", { of, shows })],
      ] as const;
    }),
  ),
};

/** How the plan is offered: its words in each language, its price, and how it is bought. */
function OfferForm({ plan }: { plan: Plan }) {
  const visit = useVisit();
  const { plansPage: words, save } = visit.words;
  const action = `offer-${plan.code}`;
  const { offered, ...values } = offerRow(plan);
  const texts = LANGUAGES.flatMap((language) =>
    Object.entries(words.texts).map(([part, label]) => [
      `${part}_${language}`,
      `${label}, ${WORDS[language].languageName}`,
    ]),
  );
  return (
    <details open={visit.form.get("action") === action}>
      <summary>{words.offer}</summary>
      <VerbForm
        resource={planOffers}
        verb="set"
        action={action}
        submit={save}
        words={{ ...words, ...Object.fromEntries(texts) }}
        values={{ ...values, offered: offered ? "yes" : "" }}
      />
    </details>
  );
}
