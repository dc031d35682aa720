import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { createIsAbandoned } from "../../ports/abandoned.ts";
import type { Ports } from "../../ports/ports.ts";
import { processName } from "../../ports/running.ts";
import { type leaseChanges, selectLease } from "./leases.store.ts";

/** The upkeep of an appliance: jobs, push, mail, imports that are gone, sources. One worker does it. */
export interface UpkeepLease {
  /** Whether this process does it. */
  isOwn(): boolean;
  /** Every second: takes the lease where nobody has it, and says that this process goes on. Never throws. */
  look(): Promise<void>;
  /** Gives it back, for another to take it at once. Never throws. */
  leave(): Promise<void>;
}

export const ALWAYS_OWN: UpkeepLease = {
  isOwn: () => true,
  look: async () => {},
  leave: async () => {},
};

const HEARTBEAT_MS = 1_500;
/** Silence after which another takes over: four heartbeats. Where the process is gone, it does so at once. */
const SILENT_MS = 6_000;

/** @param changes as they are run on a connection that writes */
export function createUpkeepLease(
  db: Database,
  changes: Calls<typeof leaseChanges>,
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
): UpkeepLease {
  const owner = processName(random.uuid(clock.now()));
  let isTaken = false;
  let isLeaving = false;
  let underWay: Promise<void> = Promise.resolve();
  /** When this process last said that it goes on, by the monotonic clock. */
  let beatMs = 0;
  const isAbandoned = createIsAbandoned(owner, SILENT_MS, clock);

  async function beat(): Promise<void> {
    const nowMs = clock.monotonic();
    if (nowMs - beatMs < HEARTBEAT_MS) return;
    isTaken = await changes.beatLease(owner);
    beatMs = nowMs;
    if (!isTaken) log.warn({}, "another worker has taken over the upkeep");
  }

  async function takeIfFree(): Promise<void> {
    const lease = await selectLease(db);
    if (lease === undefined || !isAbandoned(lease.name, lease)) return;
    const nowMs = clock.monotonic();
    isTaken = await changes.takeLease(owner, lease);
    beatMs = nowMs;
    if (isTaken) log.info({}, "this worker does the upkeep");
  }

  return {
    // A process that was stopped for a while may have lost it, and not know yet.
    isOwn: () => isTaken && clock.monotonic() - beatMs < SILENT_MS,

    async look() {
      if (isLeaving) return;
      underWay = (isTaken ? beat() : takeIfFree()).catch((error) =>
        log.warn({ err: error }, "the lease of the upkeep could not be taken or kept"),
      );
      await underWay;
    },

    async leave() {
      isLeaving = true;
      // It may just be taking what another worker gave back.
      await underWay;
      if (!isTaken) return;
      isTaken = false;
      await changes.leaveLease(owner).catch(() => {});
    },
  };
}
