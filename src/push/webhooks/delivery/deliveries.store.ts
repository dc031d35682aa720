import type { Database, Transaction } from "../../../db/database.ts";
import { allParams, change, eqParam, param, query, withinLimit } from "../../../db/query.ts";
import type { EventKind } from "../events/event-body.ts";
import { type Delivery, webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

const add = change((db) =>
  db
    .insert(webhookDeliveries)
    .values({
      ...allParams("webhookId", "event", "state", "alertId"),
      posts: param("postIds"),
      createdAt: param("nowMs"),
      nextAttemptAt: param("dueAt"),
    })
    .returning({ id: webhookDeliveries.id }),
);
const addBody = change((db) =>
  db.insert(webhookBodies).values({ deliveryId: param("id"), body: param("body") }),
);

/** Adds a delivery, due at once unless it is a ping. @returns its number */
export async function addDelivery(
  tx: Transaction,
  delivery: {
    webhookId: number;
    event: EventKind;
    postIds: readonly number[];
    body: string;
    nowMs: number;
    alertId?: number;
  },
): Promise<number> {
  const { event, body, nowMs, alertId = null } = delivery;
  // A ping is never queued: whoever requests it also attempts it, once.
  const [state, dueAt] = event === "ping" ? ["failed", null] : ["pending", nowMs];
  const { id } = await add(tx).get({ ...delivery, alertId, state, dueAt });
  await addBody(tx).run({ id, body });
  return id;
}

const deliveryById = query((db) =>
  db.select().from(webhookDeliveries).where(eqParam(webhookDeliveries.id, "id")),
);

export function selectDelivery(db: Database, id: number): Promise<Delivery | undefined> {
  return deliveryById(db).get({ id });
}

const removeSome = change((db) => {
  const isOfWebhook = eqParam(webhookDeliveries.webhookId, "webhookId");
  return db
    .delete(webhookDeliveries)
    .where(withinLimit(db, webhookDeliveries.id, isOfWebhook, param("rowsMax")));
});

/** Removes some of a webhook's deliveries. @returns how many */
export async function deleteDeliveries(
  tx: Transaction,
  webhookId: number,
  rowsMax: number,
): Promise<number> {
  return (await removeSome(tx).run({ webhookId, rowsMax })).changes;
}
