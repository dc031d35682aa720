import type { Database } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { noteLook } from "../events/look.ts";
import { type Claimed, claimDue, type Room } from "./claim-due.ts";
import { releaseDelivery } from "./claims.store.ts";
import { type EndedAttempt, endAttempt } from "./end-attempt.ts";

/** The deliveries' table, on the thread that writes it. */
export const deliveryClaims = { exchange, releaseClaims };

/**
 * Notes how attempts ended and takes what is due for as many as there is room for, in one
 * transaction. What is taken is in nobody else's hands, in whatever process, until its lease ends.
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

/** A delivery that was claimed, as far as an attempt needs it. */
export interface Taken {
  id: number;
  claim: string;
}

/** Gives back what was taken: another process, or this one started again, makes the attempts. */
export function releaseClaims(db: Database, clock: Clock, taken: Taken[]): Promise<void> {
  return inTransaction(db, clock, "deliveries", async (tx) => {
    for (const { id, claim } of taken) await releaseDelivery(tx, id, claim);
  });
}
