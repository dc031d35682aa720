import { statement, type Transaction } from "../../../db/database.ts";
import { transaction } from "../../../db/transaction.ts";
import { nextAttemptAt } from "../../retry-ladder.ts";
import { noteHeartbeat } from "../events/heartbeat.ts";
import { isServed } from "../events/served.ts";
import type { AttemptOutcome } from "./attempt.ts";
import {
  attemptsUnderWay,
  type ClaimedDelivery,
  claimDelivery,
  dueDeliveries,
  releaseDelivery,
} from "./deliveries.store.ts";
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
 * Lanes by how the webhook's last attempt went: quick, none yet, or slow. Capacity is shared by lane, so
 * that a hanging receiver cannot delay the others.
 */
const LANES = ["quick", "unknown", "slow"] as const;
export type Lane = (typeof LANES)[number];

/** How many further attempts may start, by lane: in that lane and all lanes after it together. */
export type Room = Record<Lane, number>;

/** Concurrent attempts per webhook, across processes; a ping may come on top. */
export const WEBHOOK_ATTEMPTS_MAX = 4;

export type Claimed = ClaimedDelivery & { lane: Lane };

/** Longest duration of a quick attempt. */
const QUICK_MS = 1_000;

/**
 * Due webhooks by lane, with organizations taking turns: one webhook of each, then the next. Raw SQL,
 * because drizzle's builders have no window functions, and the list of due webhooks should be computed
 * once.
 */
const DUE_WEBHOOKS = `
  WITH due AS MATERIALIZED (
    SELECT id, organization_id AS organizationId,
      CASE WHEN last_duration_ms IS NULL THEN 1 WHEN last_duration_ms <= @quickMs THEN 0 ELSE 2 END
        AS lane,
      (SELECT min(next_attempt_at) FROM webhook_deliveries
       WHERE webhook_id = w.id AND state = 'pending') AS dueAt
    FROM webhooks w WHERE disabled_reason = '' AND dueAt <= @nowMs)
  SELECT id, organizationId, lane FROM due
  ORDER BY lane, row_number() OVER (PARTITION BY lane, organizationId ORDER BY dueAt, id), dueAt, id`;

interface DueWebhook {
  id: number;
  /** Null for the operator's. */
  organizationId: number | null;
  /** Its index in `LANES`. */
  lane: number;
}

/**
 * Claims due deliveries for as many attempts as there is capacity, in the caller's transaction: one
 * delivery of each webhook, then the next of each.
 * @param claim a text unique to this call
 */
async function claimDue(
  tx: Transaction,
  nowMs: number,
  room: Room,
  claim: string,
): Promise<Claimed[]> {
  const left = LANES.map((lane) => room[lane]);
  const hasRoom = (lane: number): boolean => left.slice(0, lane + 1).every((places) => places > 0);
  const claimed: Claimed[] = [];
  const take = async (id: number | undefined, lane: number): Promise<void> => {
    if (id === undefined || !hasRoom(lane)) return;
    const delivery = await claimDelivery(tx, id, `${claim} ${id}`, nowMs);
    if (delivery === undefined) return;
    claimed.push({ ...delivery, lane: LANES[lane] as Lane });
    for (let place = 0; place <= lane; place++) left[place] = (left[place] ?? 0) - 1;
  };

  if (!hasRoom(0)) return [];
  const others: { lane: number; ids: number[] }[] = [];
  const due = statement<DueWebhook>(tx, DUE_WEBHOOKS).all({ nowMs, quickMs: QUICK_MS });
  for (const webhook of due) {
    if (!hasRoom(0)) break;
    if (!hasRoom(webhook.lane)) continue;
    const [first, ...rest] = await dueOf(tx, webhook, nowMs);
    await take(first, webhook.lane);
    others.push({ lane: webhook.lane, ids: rest });
  }
  for (let turn = 0; turn < CLAIMS_AHEAD_MAX - 1; turn++) {
    for (const { lane, ids } of others) await take(ids[turn], lane);
  }
  return claimed;
}

/**
 * Claims that a webhook which responds quickly may have at once: half of them are attempts in progress, and
 * each of the others starts as soon as one of these ends.
 */
const CLAIMS_AHEAD_MAX = 2 * WEBHOOK_ATTEMPTS_MAX;

function claimsMax(lane: number): number {
  return LANES[lane] === "quick" ? CLAIMS_AHEAD_MAX : WEBHOOK_ATTEMPTS_MAX;
}

/** Deliveries of a webhook that may be claimed now, those due longest first. */
async function dueOf(
  tx: Transaction,
  { id, organizationId, lane }: DueWebhook,
  nowMs: number,
): Promise<number[]> {
  // The queue of an organization that gets no events is emptied by the work on a timer.
  if (!(await isServed(tx, organizationId, nowMs))) return [];
  const free = claimsMax(lane) - (await attemptsUnderWay(tx, { webhookId: id, nowMs }));
  return free <= 0 ? [] : dueDeliveries(tx, { webhookId: id, nowMs, limit: free });
}

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
async function endAttempt(
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
