import { and, asc, eq, gt, lt, ne, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/query.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

/** How long the log of attempts is kept, and the bodies of what is not waiting for an attempt. */
const LOG_DAYS = 30;
const BODY_DAYS = 2;
/** Rows that are looked for at once; outside of any transaction. */
const FOUND_MAX = 1_000;

const deliveriesBefore = query((db) =>
  db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        gt(webhookDeliveries.id, sql.placeholder("after")),
        lt(webhookDeliveries.createdAt, sql.placeholder("createdBefore")),
        ne(webhookDeliveries.state, "pending"),
      ),
    )
    .orderBy(asc(webhookDeliveries.id))
    .limit(FOUND_MAX),
);
const removeDelivery = change((db) =>
  db.delete(webhookDeliveries).where(eq(webhookDeliveries.id, sql.placeholder("id"))),
);

const bodiesBefore = query((db) =>
  db
    .select({ id: webhookBodies.deliveryId })
    .from(webhookBodies)
    .crossJoin(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.id, webhookBodies.deliveryId),
        gt(webhookBodies.deliveryId, sql.placeholder("after")),
        lt(webhookDeliveries.createdAt, sql.placeholder("createdBefore")),
        ne(webhookDeliveries.state, "pending"),
      ),
    )
    .orderBy(asc(webhookBodies.deliveryId))
    .limit(FOUND_MAX),
);
const removeBody = change((db) =>
  db.delete(webhookBodies).where(eq(webhookBodies.deliveryId, sql.placeholder("id"))),
);

/** A kind of rows that are removed once they are old enough. */
export interface OldRows {
  /** Some of them after a number, by number. */
  find(db: Database, nowMs: number, after: number): Promise<number[]>;
  remove(tx: Transaction, ids: readonly number[]): Promise<void>;
}

export const oldDeliveries: OldRows = {
  find: async (db, nowMs, after) =>
    idsOf(await deliveriesBefore(db).all({ after, createdBefore: nowMs - LOG_DAYS * DAY_MS })),
  async remove(tx, ids) {
    for (const id of ids) await removeDelivery(tx).run({ id });
  },
};

export const oldBodies: OldRows = {
  find: async (db, nowMs, after) =>
    idsOf(await bodiesBefore(db).all({ after, createdBefore: nowMs - BODY_DAYS * DAY_MS })),
  async remove(tx, ids) {
    for (const id of ids) await removeBody(tx).run({ id });
  },
};

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
