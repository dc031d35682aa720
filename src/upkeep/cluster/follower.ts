import type { Log } from "../../ports/log.ts";

/** Keeps a node's copy up to date. */
export interface Follower {
  /** Called every second and at each notification. Never throws. */
  look(): Promise<void>;
  /**
   * Copies everything committed so far.
   * @throws AppError `unavailable` if PostgreSQL cannot be reached
   */
  copyNewest(): Promise<void>;
}

/** @param copy copies on a thread; concurrent calls each get a copy that began after the call */
export function createFollower(copy: () => Promise<void>, log: Log): Follower {
  /** Failure that was last logged; null after a success. */
  let told: string | null = null;
  /** A copy that has not begun yet, shared by all who ask before it does. */
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

/** The reason without numbers such as ports and versions, so that equal reasons compare equal. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const [first = ""] = String(cause).split("\n");
  return first.replaceAll(/\d+/g, "N");
}
