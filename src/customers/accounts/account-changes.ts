import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { selectPlanNow, updatePlan } from "./accounts.store.ts";
import type { Plan } from "./accounts.table.ts";
import { memberChanges, type OnSuspended } from "./member-changes.ts";
import { organizationChanges, type Resumption } from "./organization-changes.ts";
import { type PlanChange, type PlanCode, requireLimits } from "./plan.ts";
import { changedOffer, type OfferChange } from "./plan-offer.ts";
import { planRequestChanges } from "./plan-requests.ts";

/**
 * Changes of organizations, members and plans, one transaction each. A change of an organization or member
 * throws `not_found` if it does not exist, and `invalid` for an impossible value. Each change is recorded
 * in the audit log `by` its author, unless it changes nothing.
 */
export function accountChanges(resumption: Resumption, onSuspended: OnSuspended) {
  return {
    changePlan,
    changeOffer,
    ...organizationChanges(resumption),
    ...memberChanges(onSuspended),
    ...planRequestChanges,
  };
}

export type AccountChanges = Calls<ReturnType<typeof accountChanges>>;

/**
 * Changes a plan's limits for all its organizations, from their next request on.
 * @throws AppError `invalid` for a number out of range
 */
async function changePlan(
  db: Database,
  clock: Clock,
  code: PlanCode,
  limits: PlanChange,
  by: Actor,
): Promise<Plan> {
  requireLimits(limits);
  return inTransaction(db, clock, "plan", async (tx) => {
    const found = selectPlanNow(tx, code);
    await updatePlan(tx, code, limits);
    const changed = selectPlanNow(tx, code);
    if (!Bun.deepEquals(found, changed)) {
      await recordChange(tx, clock, by, { action: "plan.set", id: code, details: { ...limits } });
    }
    return changed;
  });
}

/**
 * Changes how a plan is offered.
 * @throws AppError `invalid` for a price without a currency, an unusable link, or texts that are too long
 */
async function changeOffer(
  db: Database,
  clock: Clock,
  code: PlanCode,
  change: OfferChange,
  by: Actor,
): Promise<Plan> {
  return inTransaction(db, clock, "plan", async (tx) => {
    const found = selectPlanNow(tx, code);
    const offer = changedOffer(found, change);
    await updatePlan(tx, code, { offer });
    if (!Bun.deepEquals(found.offer, offer)) {
      const fields = Object.keys(change).join(", ");
      await recordChange(tx, clock, by, { action: "plan.offer", id: code, details: { fields } });
    }
    return selectPlanNow(tx, code);
  });
}
