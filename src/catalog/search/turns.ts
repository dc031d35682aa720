import { queryTimeout } from "../../db/deadline.ts";
import { type Asker, presentAsker } from "../../values/asker.ts";
import { createFairQueue } from "../../values/fair-queue.ts";

interface Turn {
  asker: Asker;
  begin(): void;
}

/**
 * Runs work of which one at a time is enough, so that the other threads stay free; the next one waits.
 * @param waitingMax how much of one asker's may wait
 */
export function createTurns(waitingMax: number) {
  const queue = createFairQueue<Turn>(1);
  let present: Turn | undefined;

  function next(): void {
    if (present !== undefined) return;
    present = queue.take();
    present?.begin();
  }

  return {
    /** @throws AppError `timeout` where too much of the asker's waits already */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const asker = presentAsker();
      if (queue.waitingOf(asker) >= waitingMax) throw queryTimeout();
      const turn = await new Promise<Turn>((resolve) => {
        const waits: Turn = { asker, begin: () => resolve(waits) };
        queue.add(waits);
        next();
      });
      try {
        return await work();
      } finally {
        queue.end(turn);
        present = undefined;
        next();
      }
    },
  };
}
