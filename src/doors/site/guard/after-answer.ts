import type { Log } from "../../../ports/log.ts";
import { runFor } from "../../../values/tenant.ts";

export type AfterAnswer = ReturnType<typeof createAfterAnswer>;

/**
 * Runs work that no answer waits for, so that response times reveal nothing about it. It is the appliance's
 * own, and not refused for what else the visitor did.
 */
export function createAfterAnswer(log: Log) {
  const underWay = new Set<Promise<void>>();
  return {
    /** @param what names the work in the log if it fails */
    run(what: string, work: () => Promise<void>): void {
      const running = runFor(null, null, work).catch((err) => log.error({ err }, `${what} failed`));
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    },

    /** Settles when all current work has ended. */
    async settled(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}
