import type { Transaction } from "../../../db/database.ts";
import { nextAttemptAt } from "../../../values/retry-ladder.ts";
import type { AttemptOutcome } from "./attempt.ts";
import {
  insertAttempt,
  noteFailure,
  notePing,
  noteSuccess,
  selectClaimed,
  setDelivered,
  setUndelivered,
} from "./end-attempt.store.ts";

/** An attempt that has ended. */
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
