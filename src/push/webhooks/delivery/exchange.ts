import type { Database } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { noteLook } from "../events/look.ts";
import { type Claimed, claimDue, type Room } from "./claim-due.ts";
import { releaseDelivery } from "./claims.store.ts";
import { type EndedAttempt, endAttempt } from "./end-attempt.ts";

/** Operations on deliveries, on the thread that writes them. */
export const deliveryClaims = { exchange, releaseClaims };

/**
 * Records finished attempts and claims due deliveries up to capacity, in one transaction. Until a claim
 * expires, no other process can take the delivery.
 */
function exchange(
  db: Database,
  clock: Clock,
  {
    ended,
    room,
    claim,
    waitsMs,
  }: { ended: EndedAttempt[]; room: Room; claim: string; waitsMs: readonly number[] },
): Promise<Claimed[]> {
  return inTransaction(db, clock, "deliveries", async (tx) => {
    const nowMs = clock.now();
    await noteLook(tx, nowMs);
    for (const attempt of ended) await endAttempt(tx, attempt, nowMs, waitsMs);
    return claimDue(tx, nowMs, room, claim);
  });
}

/** A claimed delivery, as far as an attempt needs it. */
export interface Taken {
  id: number;
  claim: string;
}

/** Releases claims: another process, or this one after a restart, will make the attempts. */
export function releaseClaims(db: Database, clock: Clock, taken: Taken[]): Promise<void> {
  return inTransaction(db, clock, "deliveries", async (tx) => {
    for (const { id, claim } of taken) await releaseDelivery(tx, id, claim);
  });
}
