import { and, eq, exists, isNotNull, or } from "drizzle-orm";
import type { Transaction } from "../../../db/database.ts";
import { change, query, withinLimit } from "../../../db/query.ts";
import { isPending, webhookDeliveries } from "../delivery/deliveries.table.ts";
import { webhooks } from "../manage/webhooks.table.ts";

/** Deliveries to drop per step: a few milliseconds of the lock. */
const DROPPED_MAX = 200;

const drop = change((db, { webhookId }: { webhookId: number }) => {
  const isPendingOfWebhook = and(eq(webhookDeliveries.webhookId, webhookId), isPending);
  return db
    .update(webhookDeliveries)
    .set({ state: "dropped", nextAttemptAt: null })
    .where(withinLimit(db, webhookDeliveries.id, isPendingOfWebhook, DROPPED_MAX));
}).written;

/** Drops some of a webhook's pending deliveries. @returns whether there may be more */
export async function dropSome(tx: Transaction, webhookId: number): Promise<boolean> {
  return (await drop(tx, { webhookId })) === DROPPED_MAX;
}

/** Drops all pending deliveries in one transaction; the queue must have been emptied just before. */
export async function dropRest(tx: Transaction, webhookId: number): Promise<void> {
  while (await dropSome(tx, webhookId));
}

/** Webhooks, disabled ones included, that have pending deliveries or are marked as failing. */
export const selectWaiting = query((db) =>
  db
    .select({
      id: webhooks.id,
      organizationId: webhooks.organizationId,
      disabledReason: webhooks.disabledReason,
    })
    .from(webhooks)
    .where(
      or(
        isNotNull(webhooks.failingSince),
        exists(
          db
            .select({ id: webhookDeliveries.id })
            .from(webhookDeliveries)
            .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isPending)),
        ),
      ),
    ),
).all;
