import { selectOrganization, selectPlanNow } from "../../../customers/accounts/accounts.store.ts";
import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { planInForce } from "../../../customers/accounts/plan.ts";
import type { Database } from "../../../db/database.ts";
import { inParts } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { dropSome, selectWaiting } from "../delivery/deliveries.store.ts";
import { selectWebhook } from "../manage/webhooks.store.ts";
import type { Webhook } from "../manage/webhooks.table.ts";

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

/**
 * Drops the pending deliveries, however many, of those of the given webhooks that get no events. None is
 * attempted meanwhile, because claiming checks the webhook itself.
 */
export async function emptyQueues(
  db: Database,
  clock: Clock,
  webhookIds: readonly number[],
): Promise<void> {
  for (const id of webhookIds) {
    await inParts(db, clock, "webhook-queue", async (tx) => {
      const webhook = await selectWebhook(tx, { id });
      const isLive = webhook !== undefined && (await getsEvents(tx, webhook, clock.now()));
      return !isLive && dropSome(tx, id);
    });
  }
}

/** Whether a webhook is active and its organization's plan includes webhooks. */
async function getsEvents(
  db: Database,
  { organizationId, disabledReason }: Pick<Webhook, "organizationId" | "disabledReason">,
  nowMs: number,
): Promise<boolean> {
  return disabledReason === "" && isServed(db, organizationId, nowMs);
}

/** Numbers of webhooks that get no events, but have pending deliveries or are marked as failing. */
export async function deadQueues(db: Database, nowMs: number): Promise<number[]> {
  const dead: number[] = [];
  for (const webhook of await selectWaiting(db)) {
    if (!(await getsEvents(db, webhook, nowMs))) dead.push(webhook.id);
  }
  return dead;
}
