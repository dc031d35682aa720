import { and, eq, inArray, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, given, query } from "../../../db/query.ts";
import type { EventKind } from "../events/event-body.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

/** What an attempt needs of a delivery. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  event: EventKind;
  url: string;
  /** Sealed. */
  secret: Uint8Array;
  /** Sealed; null where only the present one signs. */
  formerSecret: Uint8Array | null;
  body: string;
  /** Whose attempt it is: only with it the attempt's end is noted. */
  claim: string;
}

/** Longer than any attempt with the commits around it: a crashed one's claim comes back after it. */
const LEASE_MS = 30_000;

const add = change((db) =>
  db
    .insert(webhookDeliveries)
    .values({
      webhookId: sql.placeholder("webhookId"),
      event: sql.placeholder("event"),
      posts: sql.placeholder("postIds"),
      createdAt: sql.placeholder("nowMs"),
      state: sql.placeholder("state"),
      nextAttemptAt: sql.placeholder("dueAt"),
    })
    .returning({ id: webhookDeliveries.id }),
);
const addBody = change((db) =>
  db
    .insert(webhookBodies)
    .values({ deliveryId: sql.placeholder("id"), body: sql.placeholder("body") }),
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
  },
): Promise<number> {
  const { event, body, nowMs } = delivery;
  // A ping has one attempt, by whoever asked for it; so it never waits for one.
  const [state, dueAt] = event === "ping" ? ["failed", null] : ["pending", nowMs];
  const { id } = await add(tx).get({ ...delivery, state, dueAt });
  await addBody(tx).run({ id, body });
  return id;
}

const deliveryById = query((db) =>
  db
    .select({
      webhookId: webhookDeliveries.webhookId,
      event: webhookDeliveries.event,
      createdAt: webhookDeliveries.createdAt,
      claimedUntil: webhookDeliveries.claimedUntil,
    })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.id, sql.placeholder("id"))),
);

export interface DeliveryRow {
  webhookId: number;
  event: EventKind;
  createdAt: number;
  claimedUntil: number | null;
}

export function selectDelivery(db: Database, id: number): Promise<DeliveryRow | undefined> {
  return deliveryById(db).get({ id });
}

const take = change((db) =>
  db
    .update(webhookDeliveries)
    .set({ claim: given("claim"), claimedUntil: given("until") })
    .where(eq(webhookDeliveries.id, sql.placeholder("id"))),
);
const contentById = query((db) =>
  db
    .select({
      webhookId: webhookDeliveries.webhookId,
      event: webhookDeliveries.event,
      url: webhooks.url,
      secret: webhooks.secret,
      formerSecret: webhooks.formerSecret,
      formerSecretUntil: webhooks.formerSecretUntil,
      body: webhookBodies.body,
    })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .innerJoin(webhookBodies, eq(webhookBodies.deliveryId, webhookDeliveries.id))
    .where(eq(webhookDeliveries.id, sql.placeholder("id"))),
);

/** Takes a delivery for one attempt. */
export async function claimDelivery(
  tx: Transaction,
  id: number,
  claim: string,
  nowMs: number,
): Promise<ClaimedDelivery | undefined> {
  await take(tx).run({ id, claim, until: nowMs + LEASE_MS });
  const content = await contentById(tx).get({ id });
  if (content === undefined) return undefined;
  const { formerSecret, formerSecretUntil, ...rest } = content;
  const formerSigns = (formerSecretUntil ?? 0) > nowMs;
  return { ...rest, id, claim, formerSecret: formerSigns ? formerSecret : null };
}

const release = change((db) =>
  db
    .update(webhookDeliveries)
    .set({ claim: null, claimedUntil: null })
    .where(
      and(
        eq(webhookDeliveries.id, sql.placeholder("id")),
        eq(webhookDeliveries.claim, sql.placeholder("claim")),
      ),
    ),
);

/** Gives a delivery back, where the claim is still there. */
export async function releaseDelivery(tx: Transaction, id: number, claim: string): Promise<void> {
  await release(tx).run({ id, claim });
}

const removeSome = change((db) =>
  db.delete(webhookDeliveries).where(
    inArray(
      webhookDeliveries.id,
      db
        .select({ id: webhookDeliveries.id })
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.webhookId, sql.placeholder("webhookId")))
        .limit(sql.placeholder("rowsMax")),
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
