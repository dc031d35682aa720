import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { AppError, fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { named, tellOperator } from "../operator-events/operator-events.store.ts";
import {
  deletePlanRequest,
  hasPlan,
  insertPlanRequest,
  selectPlanRequest,
} from "./accounts.store.ts";
import type { Organization, PlanRequest } from "./accounts.table.ts";
import { requireOrganization } from "./accounts.ts";
import { planInForce } from "./plan.ts";

/**
 * Customers' requests for another plan, of which an organization has at most one open: it ends with the
 * next plan given, or when it is closed.
 */
export const planRequestChanges = (tellStaff: TellStaffOfRequest) => ({
  requestPlan: requestPlan.bind(null, tellStaff),
  closePlanRequest,
});

/** Tells staff of a request, in its transaction. */
export type TellStaffOfRequest = (
  tx: Transaction,
  nowMs: number,
  organization: Organization,
  request: Pick<PlanRequest, "plan" | "note" | "person">,
) => Promise<void>;

const NOTE_LENGTH_MAX = 1_000;
/** Control characters, except those that a note of several lines has. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/**
 * Asks the operator for another plan.
 * @throws AppError `not_found` for an unknown plan, `invalid` on `plan` and `note`, `conflict` while another request is open
 */
function requestPlan(
  tellStaff: TellStaffOfRequest,
  db: Database,
  clock: Clock,
  given: Pick<PlanRequest, "organizationId" | "plan" | "note">,
  by: Actor,
): Promise<PlanRequest> {
  const { organizationId, plan } = given;
  const note = given.note.trim();
  if (CONTROL.test(note)) throw fieldError({ note: [message("controlCharacters")] });
  if ([...note].length > NOTE_LENGTH_MAX) {
    throw fieldError({ note: [message("tooLong", { characters: NOTE_LENGTH_MAX })] });
  }
  return inTransaction(db, clock, "plan-request", async (tx) => {
    const now = clock.now();
    const organization = await requireOrganization(tx, organizationId);
    if (!hasPlan(tx, plan)) throw notFound("plan", plan);
    const current = planInForce(organization, now).plan;
    if (current === plan) throw fieldError({ plan: [message("planInForce")] });
    if ((await selectPlanRequest(tx, { organizationId })) !== undefined) {
      throw new AppError("conflict", message("planRequestOpen"));
    }
    const request = { organizationId, plan, note, person: by.person, createdAt: now };
    await insertPlanRequest(tx, request);
    await recordChange(tx, clock, by, {
      organizationId,
      action: "organization.ask-plan",
      id: organizationId,
      details: { plan },
    });
    await tellOperator(tx, now, "upgrade.requested", {
      organization: named(organization),
      plan: current,
      requested_plan: plan,
      note,
      person: by.person,
    });
    await tellStaff(tx, now, organization, request);
    return request;
  });
}

/** Closes an organization's request, which gets no plan by it. @throws AppError `not_found` if none is open */
const closePlanRequest = transaction(
  "plan-request",
  async (tx, clock, organizationId: number, by: Actor) => {
    const open = await endPlanRequest(tx, organizationId);
    if (open === undefined) throw notFound("object");
    await recordChange(tx, clock, by, {
      organizationId,
      action: "organization.close-request",
      id: organizationId,
      details: { plan: open.plan },
    });
    return open;
  },
);

/** Ends an organization's open request, if there is one, in the caller's transaction. */
export async function endPlanRequest(
  tx: Transaction,
  organizationId: number,
): Promise<PlanRequest | undefined> {
  const open = await selectPlanRequest(tx, { organizationId });
  if (open !== undefined) await deletePlanRequest(tx, { organizationId });
  return open;
}
