import { transaction } from "../../../db/transaction.ts";
import { noteHeartbeat } from "../events/heartbeat.ts";
import { claimDue, type Room } from "./claim-due.ts";
import { type ClaimedDelivery, releaseDelivery } from "./claims.store.ts";
import { type EndedAttempt, endAttempt } from "./end-attempt.ts";

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
