import { selectPlanEnds } from "../../../customers/accounts/accounts.store.ts";
import type { Organization } from "../../../customers/accounts/accounts.table.ts";
import {
  deleteEvents,
  named,
  selectEvents,
  tellOperator,
} from "../../../customers/operator-events/operator-events.store.ts";
import type { OperatorEvent } from "../../../customers/operator-events/operator-events.table.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { DAY_MS, formatInstant } from "../../../values/moscow-time.ts";
import { addDelivery } from "../delivery/deliveries.store.ts";
import { selectOperatorWebhooks } from "../manage/webhooks.store.ts";
import { readTimes, updateTimes } from "./due-work.store.ts";
import { noteHeartbeat } from "./heartbeat.ts";

/** Interval at which ends of plans are looked for. */
const CHECK_EVERY_MS = 30_000;
/** How long before its end an ending plan is an event. */
const ENDING_MS = 7 * DAY_MS;
/** Events that become deliveries in one transaction. */
const EVENTS_MAX = 100;

/** Whether events wait to become deliveries, or ends of plans are to be looked for. */
export async function isOperatorWorkDue(db: Database, nowMs: number): Promise<boolean> {
  if ((await selectEvents(db, { limit: 1 })).length > 0) return true;
  if ((await selectOperatorWebhooks(db)).length === 0) return false;
  return nowMs >= (await readTimes(db)).plansCheckedAt + CHECK_EVERY_MS;
}

/** Makes the appliance's events deliveries to each active address of the operator. */
export async function deliverOperatorEvents(db: Database, clock: Clock): Promise<void> {
  if (!(await isOperatorWorkDue(db, clock.now()))) return;
  let isLeft = true;
  while (isLeft) {
    isLeft = await inTransaction(db, clock, "operator-events", async (tx) => {
      const nowMs = clock.now();
      await tellPlanEnds(tx, nowMs);
      return deliverSome(tx, nowMs);
    });
  }
}

/** Tells of plans that have ended since the last look, or will end in a week. */
async function tellPlanEnds(tx: Transaction, nowMs: number): Promise<void> {
  const { plansCheckedAt: after } = await readTimes(tx);
  if (nowMs <= after) return;
  const spans = { "plan.ended": 0, "plan.ending": ENDING_MS } as const;
  for (const event of ["plan.ended", "plan.ending"] as const) {
    const ahead = spans[event];
    const ends = await selectPlanEnds(tx, { after: after + ahead, until: nowMs + ahead });
    for (const organization of ends) await tellPlanEnd(tx, nowMs, event, organization);
  }
  await updateTimes(tx, { plansCheckedAt: nowMs });
}

/** Tells of a plan that ends within a week of the last look, so that no later look will find it. */
export async function tellIfEnding(
  tx: Transaction,
  nowMs: number,
  organization: Organization,
): Promise<void> {
  const { planEndsAt, archivedAt } = organization;
  if (planEndsAt === null || archivedAt !== null) return;
  const { plansCheckedAt } = await readTimes(tx);
  if (planEndsAt > plansCheckedAt + ENDING_MS) return;
  await tellPlanEnd(tx, nowMs, "plan.ending", organization);
}

async function tellPlanEnd(
  tx: Transaction,
  nowMs: number,
  event: "plan.ended" | "plan.ending",
  organization: Organization,
): Promise<void> {
  await tellOperator(tx, nowMs, event, {
    organization: named(organization),
    plan: organization.plan,
    plan_ends_at: formatInstant(organization.planEndsAt ?? nowMs),
  });
}

/**
 * Makes events deliveries, in the caller's transaction: before an address is added or enabled, so that it
 * gets none that happened earlier.
 * @returns whether there may be more
 */
export async function deliverSome(tx: Transaction, nowMs: number): Promise<boolean> {
  await noteHeartbeat(tx, nowMs);
  const events = await selectEvents(tx, { limit: EVENTS_MAX });
  const last = events.at(-1);
  if (last === undefined) return false;
  const active = (await selectOperatorWebhooks(tx)).filter((one) => one.disabledReason === "");
  for (const { event, facts, createdAt } of events) {
    for (const { id: webhookId } of active) {
      const body = bodyOf(event, webhookId, createdAt, facts);
      await addDelivery(tx, { webhookId, event, postIds: [], body, nowMs });
    }
  }
  await deleteEvents(tx, { until: last.id });
  return events.length === EVENTS_MAX;
}

function bodyOf(event: OperatorEvent, webhook: number, createdAt: number, facts: object): string {
  return JSON.stringify({ event, webhook, created_at: formatInstant(createdAt), ...facts });
}
