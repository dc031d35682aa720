import { queryTimeout } from "../../db/deadline.ts";
import { type Asker, presentAsker } from "../../values/asker.ts";
import { createFairQueue } from "../../values/fair-queue.ts";

interface Turn {
  asker: Asker;
  begin(): void;
}

/**
 * Runs one task at a time per organization; the next one waits. Each organization has a queue of its own,
 * because a shared one would be blocked by somebody whose task waits for a thread behind their other tasks.
 * @param waitingMax most waiting tasks per organization
 */
export function createTurns(waitingMax: number) {
  const queue = createFairQueue<Turn>(1);

  return {
    /** @throws AppError `timeout` if too many of the organization's tasks are already waiting */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const asker = presentAsker();
      if (queue.waitingOf(asker) >= waitingMax) throw queryTimeout();
      const turn = await new Promise<Turn>((resolve) => {
        const waits: Turn = { asker, begin: () => resolve(waits) };
        queue.add(waits);
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
