import type { Log } from "../ports/log.ts";

/** Keeps a node's copy up to date. */
export interface Follower {
  /** Called every second and at each notification. Never throws. */
  tick(): Promise<void>;
  /**
   * Copies everything committed so far.
   * @throws AppError `unavailable` if PostgreSQL cannot be reached
   */
  copyNewest(): Promise<void>;
}

/**
 * Copies one at a time; every call gets a copy that began after it.
 * @param copy copies on a thread
 */
export function createFollower(copy: () => Promise<void>, log: Log): Follower {
  /** The failure that was last logged; null after a success. */
  let loggedReason: string | null = null;
  /** A copy that has not begun yet, shared by all calls until it does. */
  let waiting: Promise<void> | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  async function copyNow(): Promise<void> {
    waiting = null;
    await copy();
    if (loggedReason !== null) log.info({}, "the cluster's rows are copied again");
    loggedReason = null;
  }

  function copyNewest(): Promise<void> {
    if (waiting !== null) return waiting;
    waiting = underWay.then(copyNow);
    underWay = waiting.catch(() => {});
    return waiting;
  }

  return {
    copyNewest,

    async tick() {
      try {
        await copyNewest();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== loggedReason)
          log.warn({ err: error }, "the cluster's rows could not be copied");
        loggedReason = reason;
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
