import { and, asc, count, eq, gt, isNull, lte, min, or, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import type { Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { type Delivery, isPending, webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

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
