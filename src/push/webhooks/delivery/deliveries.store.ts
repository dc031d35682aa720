import { eq } from "drizzle-orm";
import type { Transaction } from "../../../db/database.ts";
import { change, query, withinLimit } from "../../../db/query.ts";
import { type Delivery, webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

type NewDelivery = Omit<Delivery, "id" | "failures" | "claim" | "claimedUntil">;

const add = change(
  (db, { webhookId, event, state, alertId, posts, createdAt, nextAttemptAt }: NewDelivery) =>
    db
      .insert(webhookDeliveries)
      .values({ webhookId, event, state, alertId, posts, createdAt, nextAttemptAt })
      .returning({ id: webhookDeliveries.id }),
).one;

const addBody = change((db, { id, body }: { id: number; body: string }) =>
  db.insert(webhookBodies).values({ deliveryId: id, body }),
).run;

/** Adds a delivery, due at once unless it is a ping. @returns its number */
export async function addDelivery(
  tx: Transaction,
  delivery: {
    webhookId: number;
    event: Delivery["event"];
    postIds: readonly number[];
    body: string;
    nowMs: number;
    alertId?: number;
  },
): Promise<number> {
  const { webhookId, event, postIds: posts, body, nowMs, alertId = null } = delivery;
  // A ping is never queued: whoever requests it also attempts it, once.
  const [state, nextAttemptAt] =
    event === "ping" ? (["failed", null] as const) : (["pending", nowMs] as const);
  const row = { webhookId, event, state, alertId, posts, createdAt: nowMs, nextAttemptAt };
  const { id } = await add(tx, row);
  await addBody(tx, { id, body });
  return id;
}

export const selectDelivery = query((db, { id }: { id: number }) =>
  db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
).one;

/** Removes some of a webhook's deliveries. @returns how many */
export const deleteDeliveries = change(
  (db, { webhookId, rowsMax }: { webhookId: number; rowsMax: number }) => {
    const isOfWebhook = eq(webhookDeliveries.webhookId, webhookId);
    return db
      .delete(webhookDeliveries)
      .where(withinLimit(db, webhookDeliveries.id, isOfWebhook, rowsMax));
  },
).written;
