import { and, asc, count, eq, gt, isNull, lte, min, or, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, eqGiven, given, query } from "../../../db/query.ts";
import type { EventKind } from "../events/event-body.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { isPending, webhookBodies, webhookDeliveries } from "./deliveries.table.ts";

/** Deliveries that are due, and who has claimed them: each attempt is made under a claim. */

const firstDue = new QueryBuilder()
  .select({ at: min(webhookDeliveries.nextAttemptAt) })
  .from(webhookDeliveries)
  .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isPending));

/** When a webhook's first attempt is due, in a query over webhooks; null: none waits. */
export const firstDueAt = sql<number | null>`${firstDue}`;

const anyDue = query((db) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(lte(firstDueAt, given("nowMs")))
    .limit(1),
);

/** Whether an attempt is due, or one is under way: its end may be waiting to be noted. */
export async function isAttemptDue(db: Database, nowMs: number): Promise<boolean> {
  return (await anyDue(db).get({ nowMs })) !== undefined;
}

const dueIds = query((db) =>
  db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        eqGiven(webhookDeliveries.webhookId, "webhookId"),
        isPending,
        lte(webhookDeliveries.nextAttemptAt, given("nowMs")),
        or(
          isNull(webhookDeliveries.claimedUntil),
          lte(webhookDeliveries.claimedUntil, given("nowMs")),
        ),
      ),
    )
    .orderBy(asc(webhookDeliveries.nextAttemptAt), asc(webhookDeliveries.id))
    .limit(given("limit")),
);

/** Numbers of a webhook's deliveries that are due and that nobody has, those due longest first. */
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
        eqGiven(webhookDeliveries.webhookId, "webhookId"),
        gt(webhookDeliveries.claimedUntil, given("nowMs")),
      ),
    ),
);

/** Attempts of a webhook that are under way, in any process. */
export async function attemptsUnderWay(
  db: Database,
  webhookId: number,
  nowMs: number,
): Promise<number> {
  return (await underWay(db).get({ webhookId, nowMs }))?.attempts ?? 0;
}

/** A delivery with all that an attempt of it needs. */
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
  /** Names the attempt: its end is noted only while the delivery has this claim. */
  claim: string;
}

/**
 * A claim's length, longer than any attempt with the commits around it: after it a crashed process's
 * delivery is taken by another.
 */
const LEASE_MS = 30_000;

const take = change((db) =>
  db
    .update(webhookDeliveries)
    .set({ claim: given("claim"), claimedUntil: given("until") })
    .where(eqGiven(webhookDeliveries.id, "id")),
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
    .where(eqGiven(webhookDeliveries.id, "id")),
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
    .where(and(eqGiven(webhookDeliveries.id, "id"), eqGiven(webhookDeliveries.claim, "claim"))),
);

/** Gives a delivery back, where the claim is still there. */
export async function releaseDelivery(tx: Transaction, id: number, claim: string): Promise<void> {
  await release(tx).run({ id, claim });
}
