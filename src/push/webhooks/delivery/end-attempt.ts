import { type Database, statement } from "../../../db/database.ts";
import { nextAttemptAt } from "../../../values/retry-ladder.ts";
import type { AttemptOutcome } from "./attempt.ts";

/** An attempt as it ended. */
export interface EndedAttempt extends AttemptOutcome {
  deliveryId: number;
  webhookId: number;
  claim: string;
  /** Only scheduled ones move on the ladder; a ping counts neither for nor against the webhook. */
  kind: "scheduled" | "resend" | "ping";
}

/**
 * In the caller's transaction. An attempt whose claim is gone changes nothing: its lease was over,
 * or its webhook was deleted.
 */
export function endAttempt(
  db: Database,
  attempt: EndedAttempt,
  nowMs: number,
  waitsMs: readonly number[],
): void {
  const { deliveryId, claim, kind, startedAt, status, error, durationMs } = attempt;
  const delivery = statement<{ failures: number; state: string }>(
    db,
    "SELECT failures, state FROM webhook_deliveries WHERE id = ? AND claim = ?",
  ).get(deliveryId, claim);
  if (delivery === undefined) return;
  statement(
    db,
    `INSERT INTO webhook_attempts (delivery_id, attempted_at, status, error, duration_ms)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(deliveryId, startedAt, status, error, durationMs);
  // The clock may have been set back since.
  const endedAt = Math.min(attempt.endedAt, nowMs);
  noteOutcome(db, attempt, endedAt);

  const isDelivered = error === "";
  const climbs = kind === "scheduled" && delivery.state === "pending" && !isDelivered;
  const failures = delivery.failures + (climbs ? 1 : 0);
  const next = climbs ? nextAttemptAt(endedAt, failures, waitsMs) : null;
  const state = isDelivered ? "delivered" : climbs && next === null ? "failed" : delivery.state;
  statement(
    db,
    `UPDATE webhook_deliveries
     SET state = @state, failures = @failures, claim = NULL, claimed_until = NULL,
       next_attempt_at = iif(@moves, @next, next_attempt_at)
     WHERE id = @deliveryId`,
  ).run({
    deliveryId,
    state,
    failures,
    next,
    // A resend that failed leaves the ladder as it is.
    moves: Number(isDelivered || climbs),
  });
}

function noteOutcome(
  db: Database,
  { webhookId, kind, error, durationMs }: EndedAttempt,
  endedAt: number,
): void {
  const counts = Number(kind !== "ping");
  if (error === "") {
    statement(
      db,
      `UPDATE webhooks SET last_success_at = @endedAt, last_duration_ms = @durationMs,
         failing_since = iif(@counts, NULL, failing_since), down_ms = iif(@counts, 0, down_ms)
       WHERE id = @webhookId`,
    ).run({ webhookId, endedAt, durationMs, counts });
    return;
  }
  statement(
    db,
    `UPDATE webhooks SET last_error = @error, last_duration_ms = @durationMs,
       failing_since = iif(@counts AND disabled_reason = '',
         coalesce(failing_since, @endedAt), failing_since)
     WHERE id = @webhookId`,
  ).run({ webhookId, endedAt, error, durationMs, counts });
}
