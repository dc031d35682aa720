import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import { nextAttemptAt } from "../retry-ladder.ts";
import {
  attemptsUnderWay,
  type ClaimedDelivery,
  claimDelivery,
  dueDeliveries,
} from "./deliveries.store.ts";
import { noteLook } from "./look.ts";
import { isServed } from "./served.ts";
import { dropQueue } from "./webhooks.store.ts";

/**
 * How long a webhook's attempts hold their places, by which the room is shared out: its last one was
 * over at once, it had none yet, or it was slow. Whoever hangs must not delay the others.
 */
export const LANES = ["quick", "unknown", "slow"] as const;
export type Lane = (typeof LANES)[number];

/** How many more attempts may start in a lane and the lanes after it together. */
export type Room = Record<Lane, number>;

/** Attempts of one webhook at a time, over all processes. */
export const WEBHOOK_ATTEMPTS_MAX = 4;

/** An attempt as it ended. */
export interface EndedAttempt {
  deliveryId: number;
  webhookId: number;
  claim: string;
  /** Only scheduled ones move on the ladder; a ping counts neither for nor against the webhook. */
  kind: "scheduled" | "resend" | "ping";
  startedAt: number;
  endedAt: number;
  /** Null where no answer came. */
  status: number | null;
  /** Empty where it succeeded. */
  error: string;
  durationMs: number;
}

export type Claimed = ClaimedDelivery & { lane: Lane };

/**
 * Notes how attempts ended and takes what is due for as many as there is room for, in one
 * transaction. What is taken is in nobody else's hands, in whatever process, until its lease ends.
 * @param claim a text that no other call uses
 */
export function exchange(
  db: Database,
  clock: Clock,
  {
    ended,
    room,
    claim,
    waitsMs,
  }: { ended: EndedAttempt[]; room: Room; claim: string; waitsMs: readonly number[] },
): Promise<Claimed[]> {
  return inTransaction(db, clock, () => {
    const nowMs = clock.now();
    noteLook(db, nowMs);
    for (const attempt of ended) endAttempt(db, attempt, nowMs, waitsMs);
    return claimDue(db, nowMs, room, claim);
  });
}

/** Gives back what was taken: another process, or this one started again, makes the attempts. */
export function releaseClaims(db: Database, clock: Clock, claims: string[]): Promise<void> {
  return inTransaction(db, clock, () => {
    const release = statement(
      db,
      "UPDATE webhook_deliveries SET claim = NULL, claimed_until = NULL WHERE claim = ?",
    );
    for (const claim of claims) release.run(claim);
  });
}

/**
 * In the caller's transaction. An attempt whose claim is gone changes nothing: its lease was over,
 * or its webhook was deleted.
 */
function endAttempt(
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

/** An attempt that took longer is slow. */
const QUICK_MS = 1_000;

/** In each lane organizations take turns: one webhook of each, then the next of each. */
const DUE_WEBHOOKS = `
  WITH due AS (
    SELECT id, organization_id AS organizationId,
      CASE WHEN last_duration_ms IS NULL THEN 1 WHEN last_duration_ms <= @quickMs THEN 0 ELSE 2 END
        AS lane,
      (SELECT min(next_attempt_at) FROM webhook_deliveries
       WHERE webhook_id = w.id AND state = 'pending') AS dueAt
    FROM webhooks w WHERE disabled_reason = '' AND dueAt <= @nowMs)
  SELECT id, organizationId, lane FROM due
  ORDER BY lane, row_number() OVER (PARTITION BY lane, organizationId ORDER BY dueAt, id), dueAt, id`;

interface Waiting {
  lane: number;
  /** Due deliveries that may start now, those due longest first. */
  deliveries: number[];
}

function claimDue(db: Database, nowMs: number, room: Room, claim: string): Claimed[] {
  const left = LANES.map((lane) => room[lane]);
  if (left[0] === 0) return [];
  const waiting = dueWebhooks(db, nowMs);
  const claimed: Claimed[] = [];
  // One delivery of each webhook, then the next of each.
  for (let turn = 0; turn < WEBHOOK_ATTEMPTS_MAX; turn++) {
    for (const { lane, deliveries } of waiting) {
      const id = deliveries[turn];
      if (id === undefined || Math.min(...left.slice(0, lane + 1)) <= 0) continue;
      const delivery = claimDelivery(db, id, `${claim} ${id}`, nowMs);
      if (delivery === undefined) continue;
      claimed.push({ ...delivery, lane: LANES[lane] as Lane });
      for (let place = 0; place <= lane; place++) left[place] = (left[place] ?? 0) - 1;
    }
  }
  return claimed;
}

function dueWebhooks(db: Database, nowMs: number): Waiting[] {
  const due = statement<{ id: number; organizationId: number; lane: number }>(db, DUE_WEBHOOKS);
  return due.all({ nowMs, quickMs: QUICK_MS }).flatMap(({ id, organizationId, lane }) => {
    if (!isServed(db, organizationId, nowMs)) {
      dropQueue(db, id);
      return [];
    }
    const free = WEBHOOK_ATTEMPTS_MAX - attemptsUnderWay(db, id, nowMs);
    return free <= 0 ? [] : [{ lane, deliveries: dueDeliveries(db, id, nowMs, free) }];
  });
}
