import { queryTimeout } from "../../db/deadline.ts";
import { type Asker, presentAsker } from "../../values/asker.ts";
import { createFairQueue } from "../../values/fair-queue.ts";

interface Turn {
  asker: Asker;
  begin(): void;
}

/**
 * Runs work of which one at a time is enough for an asker; the next one waits. Each asker has a line of its own: a
 * shared one would be held up by whoever waits for a thread behind much of its own.
 * @param waitingMax how much of one asker's may wait
 */
export function createTurns(waitingMax: number) {
  const queue = createFairQueue<Turn>(1);

  return {
    /** @throws AppError `timeout` where too much of the asker's waits already */
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
