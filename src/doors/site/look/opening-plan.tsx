/** @jsxImportSource hono/jsx */
import { inOrder } from "../../../customers/accounts/plan.ts";
import type { AppError } from "../../../errors.ts";
import { type PlanRule, postsIncluded } from "../../../verbs/admission.ts";
import { planName, planPrice } from "../public/plan-cards.tsx";
import { viewer } from "../visit/viewer.ts";
import { asset, useSite, useVisit } from "../visit/visit.ts";

/**
 * The first plan on offer that includes what this page lacks, with its price, linked to where it is bought;
 * nothing if none does.
 */
export async function OpeningPlan({
  rule,
  after,
}: {
  rule: PlanRule;
  /** The page's refusal: another plan helps only if the plan is the reason. */
  after?: AppError;
}) {
  const { language, words } = useVisit();
  if (after !== undefined && after.code !== "tariff_required") return null;
  const { accounts, services } = useSite();
  const own = await viewer();
  const plan = inOrder(await accounts.plans()).find(
    (plan) => rule({ ...own, plan }, services) === null,
  );
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
  return <OpeningPlan after={after} rule={postsIncluded} />;
}
