import { and, asc, count, eq, gt, isNull, lte, min, or, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, eqParam, param, query } from "../../../db/query.ts";
import type { EventKind } from "../events/event-body.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { isPending, webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

/** Due deliveries and claims of deliveries: every attempt is made under a claim. */

const firstDue = new QueryBuilder()
  .select({ at: min(webhookDeliveries.nextAttemptAt) })
  .from(webhookDeliveries)
  .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isPending));

/** SQL within a query over webhooks: when a webhook's first pending attempt is due; null if it has none. */
export const firstDueAt = sql<number | null>`${firstDue}`;

const anyDue = query((db) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(lte(firstDueAt, param("nowMs")))
    .limit(1),
);

/** Whether an attempt is due; also while it is in progress, since its end may have to be recorded. */
export async function isAttemptDue(db: Database, nowMs: number): Promise<boolean> {
  return (await anyDue(db).get({ nowMs })) !== undefined;
}

const dueIds = query((db) =>
  db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        eqParam(webhookDeliveries.webhookId, "webhookId"),
        isPending,
        lte(webhookDeliveries.nextAttemptAt, param("nowMs")),
        or(
          isNull(webhookDeliveries.claimedUntil),
          lte(webhookDeliveries.claimedUntil, param("nowMs")),
        ),
      ),
    )
    .orderBy(asc(webhookDeliveries.nextAttemptAt), asc(webhookDeliveries.id))
    .limit(param("limit")),
);

/** Numbers of a webhook's due deliveries that nobody has claimed, those due longest first. */
export async function dueDeliveries(
  db: Database,
  webhookId: number,
  nowMs: number,
  limit: number,
): Promise<number[]> {
  const due = await dueIds(db).all({ webhookId, nowMs, limit });
  return due.map(({ id }) => id);
}

const underWay = query((db) =>
  db
    .select({ attempts: count() })
    .from(webhookDeliveries)
    .where(
      and(
        eqParam(webhookDeliveries.webhookId, "webhookId"),
        gt(webhookDeliveries.claimedUntil, param("nowMs")),
      ),
    ),
);

/** Number of a webhook's attempts in progress, in all processes. */
export async function attemptsUnderWay(
  db: Database,
  webhookId: number,
  nowMs: number,
): Promise<number> {
  return (await underWay(db).get({ webhookId, nowMs }))?.attempts ?? 0;
}

/** A delivery with everything an attempt needs. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  event: EventKind;
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

const take = change((db) =>
  db
    .update(webhookDeliveries)
    .set({ claim: param("claim"), claimedUntil: param("until") })
    .where(eqParam(webhookDeliveries.id, "id")),
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
    .where(eqParam(webhookDeliveries.id, "id")),
);

/** Claims a delivery for one attempt. @returns undefined if its body has been removed */
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
    .where(and(eqParam(webhookDeliveries.id, "id"), eqParam(webhookDeliveries.claim, "claim"))),
);

/** Releases a delivery, if the claim still exists. */
export async function releaseDelivery(tx: Transaction, id: number, claim: string): Promise<void> {
  await release(tx).run({ id, claim });
}
