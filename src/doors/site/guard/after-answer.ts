import type { Log } from "../../../ports/log.ts";

export type AfterAnswer = ReturnType<typeof createAfterAnswer>;

/** Runs work that no answer waits for, so that the time an answer takes gives nothing away. */
export function createAfterAnswer(log: Log) {
  const underWay = new Set<Promise<void>>();
  return {
    /** @param what for the log, where the work fails */
    run(what: string, work: () => Promise<void>): void {
      const running = work().catch((err) => log.error({ err }, `${what} failed`));
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    },

    /** Settles when all work under way has ended. */
    async settled(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}
