import { type PlanCode, type PlanTerm, planInForce } from "../../../customers/accounts/plan.ts";
import { type Database, statement } from "../../../db/database.ts";

/**
 * Whether an organization gets events: it is not archived, and the plan in force includes webhooks
 * (specification, section 3; decisions, section 6).
 */
export function isServed(db: Database, organizationId: number, nowMs: number): boolean {
  const term = statement<PlanTerm>(
    db,
    `SELECT plan, plan_started_at AS planStartedAt, plan_ends_at AS planEndsAt
     FROM organizations WHERE id = ? AND archived_at IS NULL`,
  ).get(organizationId);
  return term !== undefined && webhooksOf(db, planInForce(term, nowMs).plan) > 0;
}

function webhooksOf(db: Database, plan: PlanCode): number {
  const limit = statement<{ webhooks: number }>(db, "SELECT webhooks FROM plans WHERE code = ?");
  return limit.get(plan)?.webhooks ?? 0;
}
