import type { Transaction } from "../../../db/database.ts";
import { transaction } from "../../../db/transaction.ts";
import { nextAttemptAt } from "../../retry-ladder.ts";
import { noteHeartbeat } from "../events/heartbeat.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { claimDue, type Room } from "./claim-due.ts";
import { type ClaimedDelivery, releaseDelivery } from "./deliveries.store.ts";
import {
  insertAttempt,
  noteFailure,
  notePing,
  noteSuccess,
  selectClaimed,
  setDelivered,
  setUndelivered,
} from "./end-attempt.store.ts";

/**
 * Records attempts that have ended and claims due deliveries up to capacity, in one transaction. Until a
 * claim expires, no other process can claim the delivery.
 * @param claim text that is unique to this call
 * @param waitsMs waits of the retry ladder
 */
const exchange = transaction(
  "deliveries",
  async (
    tx,
    clock,
    {
      ended,
      room,
      claim,
      waitsMs,
    }: { ended: EndedAttempt[]; room: Room; claim: string; waitsMs: readonly number[] },
  ) => {
    const nowMs = clock.now();
    await noteHeartbeat(tx, nowMs);
    for (const attempt of ended) await endAttempt(tx, attempt, nowMs, waitsMs);
    return claimDue(tx, nowMs, room, claim);
  },
);

/** A delivery, and the claim under which its attempt is made. */
export type DeliveryClaim = Pick<ClaimedDelivery, "id" | "claim">;

/** Releases claims: another process, or this one after a restart, will make the attempts. */
export const releaseClaims = transaction(
  "deliveries",
  async (tx, _clock, claims: DeliveryClaim[]) => {
    for (const { id, claim } of claims) await releaseDelivery(tx, { id, claim });
  },
);

/** Operations on claims of deliveries, on the thread that writes them. */
export const deliveryClaims = { exchange, releaseClaims };

export interface EndedAttempt extends AttemptOutcome {
  deliveryId: number;
  webhookId: number;
  claim: string;
  /**
   * Only failed scheduled attempts advance on the retry ladder. A ping does not change whether the webhook
   * is failing.
   */
  kind: "scheduled" | "resend" | "ping";
}

/** Records how an attempt ended, unless its claim was taken over or the webhook was deleted. */
export async function endAttempt(
  tx: Transaction,
  attempt: EndedAttempt,
  nowMs: number,
  waitsMs: readonly number[],
): Promise<void> {
  // The clock may have been set back since the attempt ended.
  const ended = { ...attempt, endedAt: Math.min(attempt.endedAt, nowMs) };
  const isSuccess = attempt.error === "";
  const isNoted = isSuccess ? await setDelivered(tx, ended) : await endFailed(tx, ended, waitsMs);
  if (!isNoted) return;
  await insertAttempt(tx, ended);
  if (attempt.kind === "ping") await notePing(tx, ended);
  else await (isSuccess ? noteSuccess : noteFailure)(tx, ended);
}

/** Records a failed attempt on the delivery. @returns whether the claim still existed */
async function endFailed(
  tx: Transaction,
  attempt: EndedAttempt,
  waitsMs: readonly number[],
): Promise<boolean> {
  const before = await selectClaimed(tx, attempt);
  if (before === undefined) return false;
  let after = before;
  // A failed resend leaves the retry ladder unchanged.
  if (attempt.kind === "scheduled" && before.state === "pending") {
    const failures = before.failures + 1;
    const next = nextAttemptAt(attempt.endedAt, failures, waitsMs);
    after = { state: next === null ? "failed" : "pending", failures, nextAttemptAt: next };
  }
  await setUndelivered(tx, { ...attempt, ...after });
  return true;
}
