import { and, eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { type Delivery, webhookAttempts, webhookDeliveries } from "./deliveries.table.ts";
import type { EndedAttempt } from "./end-attempt.ts";

/** A delivery and the claim of its attempt. */
type Claimed = Pick<EndedAttempt, "deliveryId" | "claim">;
/** A delivery's position on the retry ladder. */
type OnLadder = Pick<Delivery, "state" | "failures" | "nextAttemptAt">;

const add = change((db) =>
  db.insert(webhookAttempts).values({
    ...allParams("deliveryId", "status", "error", "durationMs"),
    attemptedAt: param("startedAt"),
  }),
);

export async function insertAttempt(tx: Transaction, attempt: EndedAttempt): Promise<void> {
  await add(tx).run({ ...attempt });
}

const isClaimed = and(
  eqParam(webhookDeliveries.id, "deliveryId"),
  eqParam(webhookDeliveries.claim, "claim"),
);

const deliver = change((db) =>
  db
    .update(webhookDeliveries)
    .set({ state: "delivered", nextAttemptAt: null, claim: null, claimedUntil: null })
    .where(isClaimed),
);

/** Marks a delivery as delivered, and ends its claim. @returns whether the claim still existed */
export async function setDelivered(tx: Transaction, of: Claimed): Promise<boolean> {
  return (await deliver(tx).run({ ...of })).changes > 0;
}

const claimed = query((db) =>
  db
    .select({
      state: webhookDeliveries.state,
      failures: webhookDeliveries.failures,
      nextAttemptAt: webhookDeliveries.nextAttemptAt,
    })
    .from(webhookDeliveries)
    .where(isClaimed),
);

/** A claimed delivery's position on the retry ladder; undefined if the claim no longer exists. */
export function selectClaimed(db: Database, of: Claimed): Promise<OnLadder | undefined> {
  return claimed(db).get({ ...of });
}

const undeliver = change((db) =>
  db
    .update(webhookDeliveries)
    .set({
      ...allParams("state", "failures", "nextAttemptAt"),
      claim: null,
      claimedUntil: null,
    })
    .where(isClaimed),
);

/** Writes a delivery's position on the retry ladder, and ends its claim. */
export async function setUndelivered(
  tx: Transaction,
  { deliveryId, claim }: Claimed,
  onLadder: OnLadder,
): Promise<void> {
  await undeliver(tx).run({ ...onLadder, deliveryId, claim });
}

const isWebhook = eqParam(webhooks.id, "webhookId");
const succeed = change((db) =>
  db
    .update(webhooks)
    .set({
      lastSuccessAt: param("endedAt"),
      lastDurationMs: param("durationMs"),
      failingSince: null,
      downMs: 0,
    })
    .where(isWebhook),
);

/** Records a success: the webhook is not failing any more. */
export async function noteSuccess(tx: Transaction, attempt: EndedAttempt): Promise<void> {
  await succeed(tx).run({ ...attempt });
}

const fail = change((db) =>
  db
    .update(webhooks)
    .set({
      lastError: param("error"),
      lastDurationMs: param("durationMs"),
      failingSince: sql`iif(${webhooks.disabledReason} = '',
        coalesce(${webhooks.failingSince}, ${param("endedAt")}),
        ${webhooks.failingSince})`,
    })
    .where(isWebhook),
);

/** Records a failure: an active webhook is failing since then, unless it already was. */
export async function noteFailure(tx: Transaction, attempt: EndedAttempt): Promise<void> {
  await fail(tx).run({ ...attempt });
}

/** Records the outcome of a ping, which does not change since when the webhook is failing. */
export async function notePing(
  tx: Transaction,
  { webhookId, error, endedAt, durationMs }: EndedAttempt,
): Promise<void> {
  const outcome = error === "" ? { lastSuccessAt: endedAt } : { lastError: error };
  await tx.builders
    .update(webhooks)
    .set({ ...outcome, lastDurationMs: durationMs })
    .where(eq(webhooks.id, webhookId));
}
