import type { Database } from "../../../db/database.ts";
import { inParts } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { dropSome, selectOwnerOfActive, selectWaiting } from "./drop-queue.store.ts";
import { isServed } from "./served.ts";

/**
 * Empties the queues of webhooks that get no events, however long they are: nothing is attempted of
 * them meanwhile, since claims look at the webhook itself. One that gets events again is left alone.
 */
export async function emptyQueues(
  db: Database,
  clock: Clock,
  webhookIds: readonly number[],
): Promise<void> {
  for (const id of webhookIds) {
    await inParts(
      db,
      clock,
      "webhook-queue",
      async (tx) => !(await getsEvents(tx, id, clock.now())) && dropSome(tx, id),
    );
  }
}

async function getsEvents(db: Database, id: number, nowMs: number): Promise<boolean> {
  const organizationId = await selectOwnerOfActive(db, id);
  return organizationId !== null && isServed(db, organizationId, nowMs);
}

/** Webhooks that get no events, and of which something waits all the same or a day of failures runs. */
export async function deadQueues(db: Database, nowMs: number): Promise<number[]> {
  const dead: number[] = [];
  for (const { id, organizationId, disabledReason } of await selectWaiting(db)) {
    const isDead = disabledReason !== "" || !(await isServed(db, organizationId, nowMs));
    if (isDead) dead.push(id);
  }
  return dead;
}
