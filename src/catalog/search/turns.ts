import { queryTimeout } from "../../db/deadline.ts";

/** Runs work of which one at a time is enough, so that the other threads stay free; the next one waits. */
export function createTurns(waitingMax: number) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** @throws AppError `timeout` where too many wait already */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      if (waiting > waitingMax) throw queryTimeout();
      waiting += 1;
      const turn = last.then(work, work).finally(() => {
        waiting -= 1;
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}
