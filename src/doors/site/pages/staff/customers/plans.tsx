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
import type { Resource } from "../../../../../verbs/operator/resource.ts";
import { WORDS } from "../../../../../words/words.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import { planName, planOptions, planPrice } from "../../../public/plan-cards.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { redirect, useSite, useVisit, type View } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";

/** `/staff/plans/`: what each plan includes and how it is offered, for all its organizations. */
export const plansPage: SitePage = {
  path: "/staff/plans/",
  access: "staff",
  async show({ words, language }, { accounts }) {
    const all = await accounts.plans();
    return consolePage(
      words.plansPage.title,
      <>
        <p>{words.plansPage.intro}</p>
        {all.map((plan) => (
          <section>
            <h2>
              <bdi>{planName(plan, language)}</bdi> <small>{planPrice(plan, language)}</small>
            </h2>
            <VerbForm
              resource={plans}
              verb="set"
              action={`set-${plan.code}`}
              submit={words.save}
              className="filters numbers"
              values={limitsOf(plan)}
            />
            <OfferForm plan={plan} />
            {!PLAN_CODES.includes(plan.code) && (
              <ActionButton
                action={`delete-${plan.code}`}
                label={words.plansPage.delete}
                description={planName(plan, language)}
                confirm={words.plansPage.deleteConfirm}
                danger
              />
            )}
          </section>
        ))}
        <section>
          <h2 id="new">{words.plansPage.add}</h2>
          <VerbForm
            resource={plans}
            verb="create"
            fields={["code", "like"]}
            options={{ like: planOptions(all, language) }}
            submit={words.plansPage.add}
            words={words.plansPage}
          />
        </section>
      </>,
    );
  },
  actions: { create: verbAction(plans, "create") },
  actionsOf: {
    set: (code) => actOn(plans, "set", code),
    delete: (code) => actOn(plans, "delete", code),
    offer: (code) => actOn(planOffers, "set", code),
  },
};

function actOn(resource: Resource, verb: string, code: string): View | Promise<View> {
  const shows = () => redirect(`/staff/plans/?done=plan.${resource === plans ? verb : "offer"}`);
  return verbAction(resource, verb, { of: () => code, shows })(useVisit(), useSite());
}

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
