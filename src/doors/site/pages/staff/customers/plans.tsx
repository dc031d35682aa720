/** @jsxImportSource hono/jsx */
import type { Plan } from "../../../../../customers/accounts/accounts.table.ts";
import {
  PLAN_CODES,
  PLAN_LIMITS,
  type PlanChange,
} from "../../../../../customers/accounts/plan.ts";
import { Form, TextField } from "../../../look/form.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { currentActor } from "../../../visit/viewer.ts";
import { consolePage } from "../console.tsx";
import { OfferForm, offerActions } from "./plan-offer.tsx";

const PATH = "/staff/plans/";
const LIMITS = Object.keys(PLAN_LIMITS) as (keyof PlanChange)[];

/** `/staff/plans/`: what each plan includes, which can be changed for all its organizations. */
export const plansPage: SitePage = {
  path: PATH,
  access: "staff",
  async show(visit, { accounts }) {
    const words = visit.words.plansPage;
    return consolePage(
      words.title,
      <>
        <p>{words.intro}</p>
        {(await accounts.plans()).map((plan) => (
          <PlanForm plan={plan} />
        ))}
      </>,
    );
  },
  actions: {
    ...Object.fromEntries(PLAN_CODES.map((code) => [`set-${code}`, () => setPlan(code)])),
    ...offerActions,
  },
};

function PlanForm({ plan }: { plan: Plan }) {
  const visit = useVisit();
  const words = visit.words.plansPage;
  const action = `set-${plan.code}`;
  return (
    <section>
      <h2>{visit.words.planNames[plan.code]}</h2>
      <Form action={action} submit={visit.words.save}>
        <div class="filters numbers">
          {LIMITS.map((limit) => (
            <TextField name={limit} label={words.limits[limit]} value={String(plan[limit])} />
          ))}
        </div>
      </Form>
      <OfferForm plan={plan} />
    </section>
  );
}

async function setPlan(code: (typeof PLAN_CODES)[number]): Promise<View> {
  const { accounts } = useSite();
  // Text that is not a number is outside any range, and is reported as such at its field.
  const change: PlanChange = Object.fromEntries(
    LIMITS.map((limit) => {
      const text = useVisit().form.get(limit).trim();
      return [limit, /^\d+$/.test(text) ? Number(text) : Number.NaN];
    }),
  );
  await accounts.changePlan(code, change, currentActor());
  return redirect(`${PATH}?done=plan-set`);
}
