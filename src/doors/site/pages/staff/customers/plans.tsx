/** @jsxImportSource hono/jsx */
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { limitsOf, plans } from "../../../../../verbs/operator/plans.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { VerbForm } from "../../../look/verb-form.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { consolePage } from "../console.tsx";
import { OfferForm, offerActions } from "./plan-offer.tsx";

/** `/staff/plans/`: what each plan includes, which can be changed for all its organizations. */
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
  actions: {
    ...Object.fromEntries(
      PLAN_CODES.map((code) => [`set-${code}`, verbAction(plans, "set", { of: () => code })]),
    ),
    ...offerActions,
  },
};
