import type { Log } from "../../ports/log.ts";

/** Keeps a node's copy the newest. */
export interface Follower {
  /** Called every second, and at each notice. Never throws. */
  look(): Promise<void>;
  /**
   * Copies what there is now.
   * @throws AppError `unavailable` where PostgreSQL cannot be asked
   */
  copyNewest(): Promise<void>;
}

/** @param copy copies in a thread; of calls at the same time each copies what was there when it began */
export function createFollower(copy: () => Promise<void>, log: Log): Follower {
  /** Why it could not be copied, as the log was told last; null once it could. */
  let told: string | null = null;
  /** A copy that has not begun yet, for all who ask meanwhile. */
  let waiting: Promise<void> | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  async function copyNow(): Promise<void> {
    waiting = null;
    await copy();
    if (told !== null) log.info({}, "the cluster's rows are copied again");
    told = null;
  }

  function copyNewest(): Promise<void> {
    if (waiting !== null) return waiting;
    waiting = underWay.then(copyNow);
    underWay = waiting.catch(() => {});
    return waiting;
  }

  return {
    copyNewest,

    async look() {
      try {
        await copyNewest();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== told) log.warn({ err: error }, "the cluster's rows could not be copied");
        told = reason;
      }
    },
  };
}

/** The same for what differs in numbers only, such as ports and versions. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const [first = ""] = String(cause).split("\n");
  return first.replaceAll(/\d+/g, "N");
}
