/** @jsxImportSource hono/jsx */
import type { Plan } from "../../../../customers/accounts/accounts.table.ts";
import { inOrder } from "../../../../customers/accounts/plan.ts";
import type { AppError } from "../../../../errors.ts";
import { planName, planPrice } from "../../public/plan-cards.tsx";
import { asset, useSite, useVisit } from "../../visit/visit.ts";

/**
 * The first plan on offer that includes what this page lacks, with its price, linked to where it is bought;
 * nothing if none does.
 */
export async function OpeningPlan({
  includes,
  after,
}: {
  includes: (plan: Plan) => boolean;
  /** What the page was refused with: only a refusal by the plan is opened by another one. */
  after?: AppError;
}) {
  const { language, words } = useVisit();
  if (after !== undefined && after.code !== "tariff_required") return null;
  const plan = inOrder(await useSite().accounts.plans()).find(includes);
  if (plan === undefined) return null;
  return (
    <>
      {" "}
      <a class="button second small" href={asset("/account/plan/")}>
        {words.planRequest.opening(planName(plan, language), planPrice(plan, language))}
      </a>
    </>
  );
}

/** For posts, and what is made of them. */
export function PlanWithPosts({ after }: { after: AppError }) {
  return <OpeningPlan after={after} includes={({ posts }) => posts} />;
}
