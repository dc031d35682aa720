import type { Organization, Plan } from "../../../../../customers/accounts/accounts.table.ts";
import { periodAt, planInForce } from "../../../../../customers/accounts/plan.ts";
import type { SiteContext } from "../../../site-context.ts";

/** An organization's plan in force, and what it has used of it. */
export async function limitStatusOf(
  organization: Organization,
  { accounts, usage }: SiteContext,
  nowMs: number,
): Promise<{ plan: Plan; used: number; periodEndsAt: number }> {
  const inForce = planInForce(organization, nowMs);
  const period = periodAt(inForce.startedAt, nowMs);
  return {
    plan: await accounts.plan(inForce.plan),
    used: usage.used(organization.id, period.startedAt),
    periodEndsAt: period.endsAt,
  };
}
