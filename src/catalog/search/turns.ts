import { ownQueueLong } from "../../db/deadline.ts";
import { createFairQueue } from "../../values/fair-queue.ts";
import { currentTenant, type Tenant } from "../../values/tenant.ts";

interface Turn {
  tenant: Tenant;
  begin(): void;
}

/**
 * Runs one task at a time per tenant; the next one waits. Each tenant has a queue of its own, because a
 * shared one would be blocked by a tenant whose task waits for a thread behind its other tasks.
 * @param waitingMax most waiting tasks per tenant
 */
export function createTurns(waitingMax: number) {
  const queue = createFairQueue<Turn>(() => 1);

  return {
    /** @throws AppError `throttled` if `waitingMax` tasks of the tenant are waiting */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const tenant = currentTenant();
      if (queue.waitingOf(tenant) >= waitingMax) throw ownQueueLong();
      const turn = await new Promise<Turn>((resolve) => {
        const waiting: Turn = { tenant, begin: () => resolve(waiting) };
        queue.add(waiting);
        queue.take()?.begin();
      });
      try {
        return await work();
      } finally {
        queue.end(turn);
        queue.take()?.begin();
      }
    },
  };
}
