import type { Organization, Plan } from "../../../../../customers/accounts/accounts.table.ts";
import { periodAt, planInForce } from "../../../../../customers/accounts/plan.ts";
import { useSite } from "../../../visit/use-visit.ts";

/** How much of its plan an organization has used in the period. */
export interface CustomerUse {
  organization: Organization;
  plan: Plan;
  used: number;
}

/** Organizations that are not archived, most units first. */
export async function customersOf(nowMs: number): Promise<CustomerUse[]> {
  const { accounts, usage } = useSite();
  const plans = new Map((await accounts.plans()).map((plan) => [plan.code, plan]));
  const customers = (await accounts.organizations())
    .filter(({ archivedAt }) => archivedAt === null)
    .map((organization) => {
      const inForce = planInForce(organization, nowMs);
      const { startedAt } = periodAt(inForce.startedAt, nowMs);
      return { organization, startedAt, plan: plans.get(inForce.plan) as Plan };
    });
  const used = usage.usedByAll(
    customers.map(({ organization, startedAt }) => [organization.id, startedAt]),
  );
  return customers
    .map(({ organization, plan }) => ({ organization, plan, used: used.get(organization.id) ?? 0 }))
    .toSorted((a, b) => b.used - a.used || a.organization.id - b.organization.id);
}

const NEAR_SHARE = 0.8;

/** Customers that have used at least 80 % of their quota, closest to the limit first. */
export function nearLimit(customers: readonly CustomerUse[]): CustomerUse[] {
  const shareOf = ({ used, plan }: CustomerUse): number => used / plan.requestsPerPeriod;
  return customers
    .filter((one) => shareOf(one) >= NEAR_SHARE)
    .toSorted((a, b) => shareOf(b) - shareOf(a));
}
