import { queryTimeout } from "../../db/deadline.ts";
import { type Asker, presentAsker } from "../../values/asker.ts";
import { createFairQueue } from "../../values/fair-queue.ts";

interface Turn {
  asker: Asker;
  begin(): void;
}

/**
 * Runs one task per organization at a time; others wait. Each organization has a queue of its own, because
 * a shared one would be blocked by an organization whose task waits for a thread behind its other tasks.
 * @param waitingMax limit for one organization's waiting tasks
 */
export function createTurns(waitingMax: number) {
  const queue = createFairQueue<Turn>(1);

  return {
    /** @throws AppError `timeout` if too many of the organization's tasks are already waiting */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const asker = presentAsker();
      if (queue.waitingOf(asker) >= waitingMax) throw queryTimeout();
      const turn = await new Promise<Turn>((resolve) => {
        const waiting: Turn = { asker, begin: () => resolve(waiting) };
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
