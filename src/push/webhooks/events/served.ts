import { selectOrganization, selectPlanNow } from "../../../customers/accounts/accounts.store.ts";
import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { planInForce } from "../../../customers/accounts/plan.ts";
import type { Database } from "../../../db/database.ts";

/**
 * Whether an organization gets events: it is not archived, and its current plan includes webhooks
 * (specification, section 3). The operator's own webhooks always get theirs.
 */
export async function isServed(
  db: Database,
  organizationId: number | null,
  nowMs: number,
): Promise<boolean> {
  if (organizationId === null) return true;
  return ((await servingPlan(db, organizationId, nowMs))?.webhooks ?? 0) > 0;
}

/** How many of an organization's alerts may be active: none if its plan excludes webhooks. */
export async function includedAlerts(
  db: Database,
  organizationId: number,
  nowMs: number,
): Promise<number> {
  const plan = await servingPlan(db, organizationId, nowMs);
  return plan === null || plan.webhooks === 0 ? 0 : plan.alerts;
}

/** The current plan; null for an organization that is archived or gone. */
async function servingPlan(
  db: Database,
  organizationId: number,
  nowMs: number,
): Promise<Plan | null> {
  const organization = await selectOrganization(db, { id: organizationId });
  if (organization === undefined || organization.archivedAt !== null) return null;
  return selectPlanNow(db, planInForce(organization, nowMs).plan);
}
