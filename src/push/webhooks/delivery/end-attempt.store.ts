import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/statement.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import type { EndedAttempt } from "./claim-due.ts";
import { type Delivery, webhookAttempts, webhookDeliveries } from "./deliveries.store.ts";

type Claimed = Pick<EndedAttempt, "deliveryId" | "claim">;

/** A delivery's position on the retry ladder. */
type OnLadder = Pick<Delivery, "state" | "failures" | "nextAttemptAt">;

export const insertAttempt = change(
  (db, { deliveryId, status, error, durationMs, startedAt }: EndedAttempt) =>
    db
      .insert(webhookAttempts)
      .values({ deliveryId, status, error, durationMs, attemptedAt: startedAt }),
).run;

const isClaimed = ({ deliveryId, claim }: Claimed) =>
  and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.claim, claim));

/** Marks a delivery as delivered, and ends its claim. @returns whether the claim still existed */
export const setDelivered = change((db, of: Claimed) =>
  db
    .update(webhookDeliveries)
    .set({ state: "delivered", nextAttemptAt: null, claim: null, claimedUntil: null })
    .where(isClaimed(of)),
).wrote;

/** A claimed delivery's position on the retry ladder; undefined if the claim no longer exists. */
export const selectClaimed = query((db, of: Claimed) =>
  db
    .select({
      state: webhookDeliveries.state,
      failures: webhookDeliveries.failures,
      nextAttemptAt: webhookDeliveries.nextAttemptAt,
    })
    .from(webhookDeliveries)
    .where(isClaimed(of)),
).one;

/** Writes a delivery's position on the retry ladder, and ends its claim. */
export const setUndelivered = change(
  (db, { deliveryId, claim, state, failures, nextAttemptAt }: Claimed & OnLadder) =>
    db
      .update(webhookDeliveries)
      .set({ state, failures, nextAttemptAt, claim: null, claimedUntil: null })
      .where(isClaimed({ deliveryId, claim })),
).run;

/** Records a success: the webhook is not failing any more. */
export const noteSuccess = change((db, { webhookId, endedAt, durationMs }: EndedAttempt) =>
  db
    .update(webhooks)
    .set({ lastSuccessAt: endedAt, lastDurationMs: durationMs, failingSince: null, downMs: 0 })
    .where(eq(webhooks.id, webhookId)),
).run;

/** Records a failure: an active webhook is failing since then, unless it already was. */
export const noteFailure = change((db, { webhookId, error, endedAt, durationMs }: EndedAttempt) =>
  db
    .update(webhooks)
    .set({
      lastError: error,
      lastDurationMs: durationMs,
      failingSince: sql`iif(${webhooks.disabledReason} = '',
        coalesce(${webhooks.failingSince}, ${endedAt}),
        ${webhooks.failingSince})`,
    })
    .where(eq(webhooks.id, webhookId)),
).run;

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
