import { selectOrganization, selectPlan } from "../../../customers/accounts/accounts.store.ts";
import { planInForce } from "../../../customers/accounts/plan.ts";
import type { Database } from "../../../db/database.ts";

/**
 * Whether an organization gets events: it is not archived, and the plan in force includes webhooks
 * (specification, section 3).
 */
export async function isServed(
  db: Database,
  organizationId: number,
  nowMs: number,
): Promise<boolean> {
  const organization = await selectOrganization(db, organizationId);
  if (organization === undefined || organization.archivedAt !== null) return false;
  const { webhooks } = await selectPlan(db, planInForce(organization, nowMs).plan);
  return webhooks > 0;
}
