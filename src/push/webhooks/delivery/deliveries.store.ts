import { and, asc, count, eq, exists, gt, isNotNull, isNull, lte, min, or, sql } from "drizzle-orm";
import { integer, QueryBuilder, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OperatorEvent } from "../../../customers/operator-events/operator-events.table.ts";
import type { Transaction } from "../../../db/database.ts";
import { change, query, withinLimit } from "../../../db/statement.ts";
import type { DeliveryState, EventKind } from "../events/cut-events.ts";
import { webhooks } from "../manage/webhooks.table.ts";

/** Deliveries: one row for each event and webhook. */
export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  id: integer("id").primaryKey(),
  webhookId: integer("webhook_id").notNull(),
  event: text("event").$type<EventKind | OperatorEvent>().notNull(),
  /** Numbers of its posts. */
  posts: text("posts", { mode: "json" }).$type<readonly number[]>().notNull(),
  createdAt: integer("created_at").notNull(),
  state: text("state").$type<DeliveryState>().notNull(),
  /** Number of scheduled attempts that failed. */
  failures: integer("failures").notNull().default(0),
  /** When the next scheduled attempt is due; null if none is to come. */
  nextAttemptAt: integer("next_attempt_at"),
  /** Identifies the attempt in progress, and when its claim expires; both null if there is none. */
  claim: text("claim"),
  claimedUntil: integer("claimed_until"),
  /** The alert that its posts match; null for other events. It may have been deleted. */
  alertId: integer("alert_id"),
});

export type Delivery = typeof webhookDeliveries.$inferSelect;

/** SQLite uses the index of pending deliveries only for statements with this literal condition. */
export const isPending = sql`${webhookDeliveries.state} = 'pending'`;

/** Bodies of deliveries, byte for byte as sent. */
export const webhookBodies = sqliteTable("webhook_bodies", {
  deliveryId: integer("delivery_id").primaryKey(),
  body: text("body").notNull(),
});

/** Attempts that have ended. */
export const webhookAttempts = sqliteTable("webhook_attempts", {
  id: integer("id").primaryKey(),
  deliveryId: integer("delivery_id").notNull(),
  attemptedAt: integer("attempted_at").notNull(),
  /** HTTP status; null if there was no response. */
  status: integer("status"),
  /** Empty if it succeeded. */
  error: text("error").notNull(),
  durationMs: integer("duration_ms").notNull(),
});

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

/** Due deliveries and claims of deliveries: every attempt is made under a claim. */

const firstDue = new QueryBuilder()
  .select({ at: min(webhookDeliveries.nextAttemptAt) })
  .from(webhookDeliveries)
  .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isPending));

/** SQL within a query over webhooks: when a webhook's first pending attempt is due; null if it has none. */
export const firstDueAt = sql<number | null>`${firstDue}`;

/** Whether an attempt is due; also while it is in progress, since its end may have to be recorded. */
export const isAttemptDue = query((db, { nowMs }: { nowMs: number }) =>
  db.select({ id: webhooks.id }).from(webhooks).where(lte(firstDueAt, nowMs)).limit(1),
).any;

/** Numbers of a webhook's due deliveries that nobody has claimed, those due longest first. */
export const dueDeliveries = query(
  (db, { webhookId, nowMs, limit }: { webhookId: number; nowMs: number; limit: number }) =>
    db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.webhookId, webhookId),
          isPending,
          lte(webhookDeliveries.nextAttemptAt, nowMs),
          or(isNull(webhookDeliveries.claimedUntil), lte(webhookDeliveries.claimedUntil, nowMs)),
        ),
      )
      .orderBy(asc(webhookDeliveries.nextAttemptAt), asc(webhookDeliveries.id))
      .limit(limit),
).values;

/** Number of a webhook's attempts in progress, in all processes. */
export const attemptsUnderWay = query(
  (db, { webhookId, nowMs }: { webhookId: number; nowMs: number }) =>
    db
      .select({ attempts: count() })
      .from(webhookDeliveries)
      .where(
        and(eq(webhookDeliveries.webhookId, webhookId), gt(webhookDeliveries.claimedUntil, nowMs)),
      ),
).count;

/** A delivery with everything an attempt needs. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  event: Delivery["event"];
  url: string;
  /** Sealed. */
  secret: Uint8Array;
  /** The previous secret, sealed; null if it no longer signs. */
  formerSecret: Uint8Array | null;
  body: string;
  /** Identifies the attempt: its end is recorded only while the delivery still has this claim. */
  claim: string;
}

/**
 * How long a claim lasts: longer than any attempt including its commits. After that, another process takes
 * over a crashed one's delivery.
 */
const LEASE_MS = 30_000;

const take = change((db, { id, claim, until }: { id: number; claim: string; until: number }) =>
  db
    .update(webhookDeliveries)
    .set({ claim, claimedUntil: until })
    .where(eq(webhookDeliveries.id, id)),
).run;

const selectContent = query((db, { id }: { id: number }) =>
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
    .where(eq(webhookDeliveries.id, id)),
).one;

/** Claims a delivery for one attempt. @returns undefined if its body has been removed */
export async function claimDelivery(
  tx: Transaction,
  id: number,
  claim: string,
  nowMs: number,
): Promise<ClaimedDelivery | undefined> {
  await take(tx, { id, claim, until: nowMs + LEASE_MS });
  const content = await selectContent(tx, { id });
  if (content === undefined) return undefined;
  const { formerSecret, formerSecretUntil, ...rest } = content;
  const formerSigns = (formerSecretUntil ?? 0) > nowMs;
  return { ...rest, id, claim, formerSecret: formerSigns ? formerSecret : null };
}

/** Releases a delivery, if the claim still exists. */
export const releaseDelivery = change((db, { id, claim }: { id: number; claim: string }) =>
  db
    .update(webhookDeliveries)
    .set({ claim: null, claimedUntil: null })
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.claim, claim))),
).run;

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
