import { and, asc, eq, gt, lt, ne } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, eqParam, param, query } from "../../../db/query.ts";
import { webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

/** Rows to look for at once, outside any transaction. */
const FOUND_MAX = 1_000;

const deliveriesBefore = query((db) =>
  db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        gt(webhookDeliveries.id, param("after")),
        lt(webhookDeliveries.createdAt, param("createdBefore")),
        ne(webhookDeliveries.state, "pending"),
      ),
    )
    .orderBy(asc(webhookDeliveries.id))
    .limit(FOUND_MAX),
);
const removeDelivery = change((db) =>
  db.delete(webhookDeliveries).where(eqParam(webhookDeliveries.id, "id")),
);

const bodiesBefore = query((db) =>
  db
    .select({ id: webhookBodies.deliveryId })
    .from(webhookBodies)
    .crossJoin(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.id, webhookBodies.deliveryId),
        gt(webhookBodies.deliveryId, param("after")),
        lt(webhookDeliveries.createdAt, param("createdBefore")),
        ne(webhookDeliveries.state, "pending"),
      ),
    )
    .orderBy(asc(webhookBodies.deliveryId))
    .limit(FOUND_MAX),
);
const removeBody = change((db) =>
  db.delete(webhookBodies).where(eqParam(webhookBodies.deliveryId, "id")),
);

/** Selects ended deliveries, or their bodies, with numbers above `after`, ascending. */
interface Older {
  after: number;
  createdBefore: number;
}

/** Numbers of old deliveries. */
export async function selectOldDeliveries(db: Database, than: Older): Promise<number[]> {
  return (await deliveriesBefore(db).all({ ...than })).map(({ id }) => id);
}

/** Numbers of old deliveries that still have a body. */
export async function selectOldBodies(db: Database, than: Older): Promise<number[]> {
  return (await bodiesBefore(db).all({ ...than })).map(({ id }) => id);
}

export async function deleteDelivery(tx: Transaction, id: number): Promise<void> {
  await removeDelivery(tx).run({ id });
}

export async function deleteBody(tx: Transaction, id: number): Promise<void> {
  await removeBody(tx).run({ id });
}
