/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Plan } from "../../../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { PLAN_LIMITS, type PlanChange } from "../../../../../customers/accounts/plan-limits.ts";
import { Form, TextField } from "../../../look/form.tsx";
import type { SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { actorOf } from "../../../visit/viewer.ts";
import type { Visit } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";

const PATH = "/staff/plans/";
const LIMITS = Object.keys(PLAN_LIMITS) as (keyof PlanChange)[];

/** `/staff/plans/`: what each plan includes, which can be changed for all its organizations. */
export const plansPage: SitePage = {
  path: PATH,
  access: "staff",
  async show(visit, { accounts }) {
    const words = visit.words.plansPage;
    return consolePage(
      visit,
      words.title,
      <>
        <p>{words.intro}</p>
        {(await accounts.plans()).map((plan) => (
          <PlanForm visit={visit} plan={plan} />
        ))}
      </>,
    );
  },
  actions: Object.fromEntries(
    PLAN_CODES.map((code) => [`set-${code}`, (visit, context) => setPlan(visit, context, code)]),
  ),
};

function PlanForm({ visit, plan }: { visit: Visit; plan: Plan }): JSX.Element {
  const words = visit.words.plansPage;
  const action = `set-${plan.code}`;
  return (
    <section>
      <h2>{visit.words.planNames[plan.code]}</h2>
      <Form visit={visit} action={action}>
        <div class="filters numbers">
          {LIMITS.map((limit) => (
            <TextField
              visit={visit}
              action={action}
              name={limit}
              label={words.limits[limit]}
              value={String(plan[limit])}
            />
          ))}
        </div>
        <button type="submit">{visit.words.save}</button>
      </Form>
    </section>
  );
}

async function setPlan(
  visit: Visit,
  { accounts }: SiteContext,
  code: (typeof PLAN_CODES)[number],
): Promise<View> {
  // Text that is not a number is outside any range, and is reported as such at its field.
  const change: PlanChange = Object.fromEntries(
    LIMITS.map((limit) => {
      const text = visit.form.get(limit).trim();
      return [limit, /^\d+$/.test(text) ? Number(text) : Number.NaN];
    }),
  );
  await accounts.changePlan(code, change, actorOf(visit));
  return redirect(`${PATH}?done=plan-set`);
}
