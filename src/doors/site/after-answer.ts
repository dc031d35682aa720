import type { Log } from "../../ports/log.ts";

export type AfterAnswer = ReturnType<typeof createAfterAnswer>;

/** Work that an answer does not wait for, so that how long it takes tells its reader nothing. */
export function createAfterAnswer(log: Log) {
  const underWay = new Set<Promise<void>>();
  return {
    /** @param what for the log, where the work fails */
    run(what: string, work: () => Promise<void>): void {
      const running = work().catch((err) => log.error({ err }, `${what} failed`));
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    },

    /** All of it has ended. */
    async settled(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}
