import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { AppError, fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import { named, tellOperator } from "../operator-events/operator-events.store.ts";
import {
  deletePlan,
  hasPlan,
  insertOrganization,
  insertPlan,
  isPlanUsed,
  selectPlanNow,
  selectPlans,
  updateOrganization,
  updatePlan,
} from "./accounts.store.ts";
import type { Organization, Plan } from "./accounts.table.ts";
import { requiredName, requireOrganization, requirePlan } from "./accounts.ts";
import { memberChanges, type OnSuspended } from "./member-changes.ts";
import type { OfferChange, PlanChange, PlanCode } from "./plan.ts";
import {
  changedOffer,
  nextTerm,
  PLAN_CODES,
  PLANS_MAX,
  planInForce,
  requiredPlanCode,
  requireLimits,
} from "./plan.ts";
import { endPlanRequest, planRequestChanges, type TellStaffOfRequest } from "./plan-requests.ts";

/**
 * Changes of organizations, members and plans, one transaction each. A change of an organization or member
 * throws `not_found` if it does not exist, and `invalid` for an impossible value. Each change is recorded
 * in the audit log `by` its author, unless it changes nothing.
 */
export function accountChanges(
  resumption: Resumption,
  onSuspended: OnSuspended,
  tellStaff: TellStaffOfRequest,
  isPlanPaid: (tx: Transaction, code: PlanCode) => boolean,
) {
  return {
    addPlan,
    changePlan,
    changeOffer,
    removePlan: removePlan.bind(null, isPlanPaid),
    ...organizationChanges(resumption),
    ...memberChanges(onSuspended),
    ...planRequestChanges(tellStaff),
  };
}

export type AccountChanges = Calls<ReturnType<typeof accountChanges>>;

/**
 * Adds a plan above the others. It includes what another one includes, apart from the limits that are given,
 * and customers do not see it until it is offered.
 * @throws AppError `invalid` on `code`, on `like` and for a number out of range, `conflict` if there are as
 * many plans as there may be
 */
async function addPlan(
  db: Database,
  clock: Clock,
  { code: given, like, limits }: { code: PlanCode; like: PlanCode; limits: PlanChange },
  by: Actor,
): Promise<Plan> {
  const code = requiredPlanCode(given);
  requireLimits(limits);
  return inTransaction(db, clock, "plan", async (tx) => {
    requirePlan(tx, like, "like");
    const plans = selectPlans(tx);
    if (hasPlan(tx, code)) throw fieldError({ code: [message("planCodeTaken")] });
    if (plans.length >= PLANS_MAX) {
      throw new AppError("conflict", message("plansFull", { max: PLANS_MAX }));
    }
    const position = Math.max(...plans.map((plan) => plan.position)) + 1;
    const own = { code, position, offer: { isOffered: false } };
    await insertPlan(tx, { ...selectPlanNow(tx, like), ...limits, ...own });
    await recordChange(tx, clock, by, { action: "plan.create", id: code, details: { like } });
    return selectPlanNow(tx, code);
  });
}

/**
 * Removes a plan that staff added and nobody uses.
 * @throws AppError `not_found`, `conflict` for a plan of the specification, and while an organization has it
 * or asks or pays for it
 */
async function removePlan(
  isPaid: (tx: Transaction, code: PlanCode) => boolean,
  db: Database,
  clock: Clock,
  code: PlanCode,
  by: Actor,
): Promise<Plan> {
  return inTransaction(db, clock, "plan", async (tx) => {
    requireFoundPlan(tx, code);
    const found = selectPlanNow(tx, code);
    if (PLAN_CODES.includes(code)) throw new AppError("conflict", message("planStays"));
    if (isPlanUsed(tx, code) || isPaid(tx, code))
      throw new AppError("conflict", message("planUsed"));
    await deletePlan(tx, { code });
    await recordChange(tx, clock, by, { action: "plan.delete", id: code });
    return found;
  });
}

/** @throws AppError `not_found` */
function requireFoundPlan(tx: Transaction, code: PlanCode): void {
  if (!hasPlan(tx, code)) throw notFound("plan", code);
}

/**
 * Changes a plan's limits for all its organizations, from their next request on.
 * @throws AppError `not_found`, `invalid` for a number out of range
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
    requireFoundPlan(tx, code);
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
 * @throws AppError `not_found`, `invalid` for a price without a currency, an unusable link, or texts that are too long
 */
const changeOffer = transaction(
  "plan",
  async (tx, clock, code: PlanCode, change: OfferChange, by: Actor) => {
    requireFoundPlan(tx, code);
    const found = selectPlanNow(tx, code);
    const offer = changedOffer(found, change);
    await updatePlan(tx, code, { offer });
    if (!Bun.deepEquals(found.offer, offer)) {
      const fields = Object.keys(change).join(", ");
      await recordChange(tx, clock, by, { action: "plan.offer", id: code, details: { fields } });
    }
    return selectPlanNow(tx, code);
  },
);

/** Steps for an organization that becomes entitled to webhook events again. */
export interface Resumption {
  /** The long part, before the change. Does nothing for an organization that already gets events. */
  prepare(db: Database, clock: Clock, organizationId: number): Promise<void>;
  /** The short part, in the transaction of the change. */
  resume(tx: Transaction, organizationId: number): Promise<void>;
  /** Tells the operator of a plan that ends soon, in the transaction that gives it. */
  tellIfEnding(tx: Transaction, nowMs: number, organization: Organization): Promise<void>;
}

export function organizationChanges(resumption: Resumption) {
  return {
    createOrganization,
    givePlan: givePlan.bind(null, resumption),
    archiveOrganization,
    restoreOrganization: restoreOrganization.bind(null, resumption),
  };
}

async function createOrganization(
  db: Database,
  clock: Clock,
  { name: given, plan }: { name: string; plan: PlanCode },
  by: Actor,
): Promise<Organization> {
  const name = requiredName(given);
  return inTransaction(db, clock, "organization", (tx) =>
    putOrganization(tx, clock, { name, plan }, by),
  );
}

export async function putOrganization(
  tx: Transaction,
  clock: Clock,
  { name, plan }: { name: string; plan: PlanCode },
  by: Actor,
): Promise<Organization> {
  requirePlan(tx, plan);
  const now = clock.now();
  const none = { planEndsAt: null, archivedAt: null };
  const row = { name, plan, planStartedAt: now, createdAt: now, ...none };
  const made = await insertOrganization(tx, row);
  await recordChange(tx, clock, by, {
    organizationId: made.id,
    action: "organization.create",
    id: made.id,
    details: { name, plan },
  });
  await tellOperator(tx, now, "organization.created", { organization: named(made), plan });
  return made;
}

interface GivenPlan {
  id: number;
  plan: PlanCode;
  /** Exclusive; null for never. */
  endsAt: number | null;
}

export type PlanPutter = ReturnType<typeof planPutter>;

/** Gives an organization a plan in the caller's transaction; `prepare` comes before that. */
export const planPutter =
  (resumption: Resumption) =>
  (tx: Transaction, clock: Clock, { id, plan, endsAt }: GivenPlan, by: Actor) =>
    putChange(tx, clock, by, {
      id,
      action: "organization.plan",
      details: { plan, ends: endsAt === null ? null : formatInstant(endsAt) },
      async change(tx, found) {
        requirePlan(tx, plan);
        const now = clock.now();
        const before = selectPlanNow(tx, planInForce(found, now).plan);
        if (before.webhooks === 0) await resumption.resume(tx, id);
        await endPlanRequest(tx, id);
        const term = nextTerm(found, plan, endsAt, now);
        if (endsAt !== found.planEndsAt) {
          await resumption.tellIfEnding(tx, now, { ...found, ...term });
        }
        return term;
      },
    });

/** @param endsAt when the plan ends, exclusive; null for never */
async function givePlan(
  resumption: Resumption,
  db: Database,
  clock: Clock,
  id: number,
  plan: PlanCode,
  endsAt: number | null,
  by: Actor,
): Promise<Organization> {
  if (endsAt !== null && endsAt <= clock.now()) {
    throw fieldError({ ends: [message("dayIsOver")] });
  }
  await resumption.prepare(db, clock, id);
  return inTransaction(db, clock, "organization", (tx) =>
    planPutter(resumption)(tx, clock, { id, plan, endsAt }, by),
  );
}

/** Archiving again keeps the original time. */
function archiveOrganization(
  db: Database,
  clock: Clock,
  id: number,
  by: Actor,
): Promise<Organization> {
  return changeOrganization(db, clock, by, {
    id,
    action: "organization.archive",
    change: async (_tx, { archivedAt }) => ({ archivedAt: archivedAt ?? clock.now() }),
  });
}

async function restoreOrganization(
  resumption: Resumption,
  db: Database,
  clock: Clock,
  id: number,
  by: Actor,
): Promise<Organization> {
  await resumption.prepare(db, clock, id);
  return changeOrganization(db, clock, by, {
    id,
    action: "organization.restore",
    async change(tx, { archivedAt }) {
      if (archivedAt !== null) await resumption.resume(tx, id);
      return { archivedAt: null };
    },
  });
}

interface OrganizationChange {
  id: number;
  action: "organization.plan" | "organization.archive" | "organization.restore";
  details?: AuditEntry["details"];
  change(tx: Transaction, found: Organization): Promise<Partial<Organization>>;
}

async function putChange(
  tx: Transaction,
  clock: Clock,
  by: Actor,
  { id, action, details, change }: OrganizationChange,
): Promise<Organization> {
  const found = await requireOrganization(tx, id);
  await updateOrganization(tx, id, await change(tx, found));
  const changed = await requireOrganization(tx, id);
  if (!Bun.deepEquals(found, changed)) {
    await recordChange(tx, clock, by, { organizationId: id, action, id, details });
  }
  return changed;
}

const changeOrganization = transaction("organization", putChange);
