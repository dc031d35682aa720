import type { Database } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { noteHeartbeat } from "../events/heartbeat.ts";
import { type Claimed, claimDue, type Room } from "./claim-due.ts";
import { type ClaimedDelivery, releaseDelivery } from "./claims.store.ts";
import { type EndedAttempt, endAttempt } from "./end-attempt.ts";

/** Operations on claims of deliveries, on the thread that writes them. */
export const deliveryClaims = { exchange, releaseClaims };

/**
 * Records attempts that have ended and claims due deliveries up to capacity, in one transaction. Until a
 * claim expires, no other process can claim the delivery.
 * @param claim text that is unique to this call
 * @param waitsMs waits of the retry ladder
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
    await noteHeartbeat(tx, nowMs);
    for (const attempt of ended) await endAttempt(tx, attempt, nowMs, waitsMs);
    return claimDue(tx, nowMs, room, claim);
  });
}

/** A delivery, and the claim under which its attempt is made. */
export type DeliveryClaim = Pick<ClaimedDelivery, "id" | "claim">;

/** Releases claims: another process, or this one after a restart, will make the attempts. */
export function releaseClaims(db: Database, clock: Clock, claims: DeliveryClaim[]): Promise<void> {
  return inTransaction(db, clock, "deliveries", async (tx) => {
    for (const { id, claim } of claims) await releaseDelivery(tx, { id, claim });
  });
}
