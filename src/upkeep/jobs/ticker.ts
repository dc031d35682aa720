import { Cron } from "croner";
import { MOSCOW_ZONE } from "../../values/moscow-time.ts";

interface Ticker {
  start(): void;
  /** Starts nothing more; settles when the work under way has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `work` by a cron pattern, once at the start too; what takes longer than to the next time is
 * not overtaken by it.
 * @param work never throws
 */
export function createTicker(pattern: string, work: () => Promise<void>): Ticker {
  let timer: Cron | null = null;
  let underWay: Promise<void> | null = null;

  function tick(): void {
    underWay ??= work().finally(() => {
      underWay = null;
    });
  }

  return {
    start() {
      timer = new Cron(pattern, { timezone: MOSCOW_ZONE }, tick);
      tick();
    },
    async stop() {
      timer?.stop();
      await underWay;
    },
  };
}
