import { and, asc, eq, gt, inArray, lt, ne } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, eqGiven, given, query } from "../../../db/query.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import type { EventKind } from "../events/event-body.ts";
import { type Delivery, webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

const add = change((db) =>
  db
    .insert(webhookDeliveries)
    .values({
      webhookId: given("webhookId"),
      event: given("event"),
      posts: given("postIds"),
      createdAt: given("nowMs"),
      state: given("state"),
      nextAttemptAt: given("dueAt"),
      alertId: given("alertId"),
    })
    .returning({ id: webhookDeliveries.id }),
);
const addBody = change((db) =>
  db.insert(webhookBodies).values({ deliveryId: given("id"), body: given("body") }),
);

/** A post event is due at once. @returns the delivery's number */
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
  // A ping has one attempt, by whoever asked for it; so it never waits for one.
  const [state, dueAt] = event === "ping" ? ["failed", null] : ["pending", nowMs];
  const { id } = await add(tx).get({ ...delivery, alertId, state, dueAt });
  await addBody(tx).run({ id, body });
  return id;
}

const deliveryById = query((db) =>
  db.select().from(webhookDeliveries).where(eqGiven(webhookDeliveries.id, "id")),
);

export function selectDelivery(db: Database, id: number): Promise<Delivery | undefined> {
  return deliveryById(db).get({ id });
}

const removeSome = change((db) =>
  db
    .delete(webhookDeliveries)
    .where(
      inArray(
        webhookDeliveries.id,
        db
          .select({ id: webhookDeliveries.id })
          .from(webhookDeliveries)
          .where(eqGiven(webhookDeliveries.webhookId, "webhookId"))
          .limit(given("rowsMax")),
      ),
    ),
);

/** Removes some of a webhook's deliveries. @returns how many */
export async function deleteDeliveries(
  tx: Transaction,
  webhookId: number,
  rowsMax: number,
): Promise<number> {
  return (await removeSome(tx).run({ webhookId, rowsMax })).changes;
}

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
        gt(webhookDeliveries.id, given("after")),
        lt(webhookDeliveries.createdAt, given("createdBefore")),
        ne(webhookDeliveries.state, "pending"),
      ),
    )
    .orderBy(asc(webhookDeliveries.id))
    .limit(FOUND_MAX),
);
const removeDelivery = change((db) =>
  db.delete(webhookDeliveries).where(eqGiven(webhookDeliveries.id, "id")),
);

const bodiesBefore = query((db) =>
  db
    .select({ id: webhookBodies.deliveryId })
    .from(webhookBodies)
    .crossJoin(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.id, webhookBodies.deliveryId),
        gt(webhookBodies.deliveryId, given("after")),
        lt(webhookDeliveries.createdAt, given("createdBefore")),
        ne(webhookDeliveries.state, "pending"),
      ),
    )
    .orderBy(asc(webhookBodies.deliveryId))
    .limit(FOUND_MAX),
);
const removeBody = change((db) =>
  db.delete(webhookBodies).where(eqGiven(webhookBodies.deliveryId, "id")),
);

/** A kind of rows that are removed once they are old enough. */
interface OldRows {
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
