import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { createIsAbandoned } from "../../ports/abandoned.ts";
import type { Ports } from "../../ports/ports.ts";
import { processName } from "../../ports/running.ts";
import { type leaseChanges, selectLease } from "./leases.store.ts";

/**
 * The lease for an appliance's upkeep, which a single worker does: jobs, push, mail, abandoned imports,
 * sources.
 */
export interface UpkeepLease {
  /** Whether this process holds it. */
  isOwn(): boolean;
  /** Called every second: takes the lease if nobody holds it, or renews it. Never throws. */
  tick(): Promise<void>;
  /** Releases it so that another worker can take over at once. Never throws. */
  leave(): Promise<void>;
}

/** For a process that serves alone. */
export const ALWAYS_OWN: UpkeepLease = {
  isOwn: () => true,
  tick: async () => {},
  leave: async () => {},
};

const HEARTBEAT_MS = 1_500;
/**
 * Silence after which another worker takes over: four heartbeats. If the process is gone, that happens at
 * once.
 */
const SILENT_MS = 6_000;

/** @param changes run on a writing connection */
export function createUpkeepLease(
  db: Database,
  changes: Calls<typeof leaseChanges>,
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
): UpkeepLease {
  const owner = processName(random.uuid(clock.now()));
  let isTaken = false;
  let isLeaving = false;
  let underWay: Promise<void> = Promise.resolve();
  /** This process's last heartbeat, by the monotonic clock. */
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
    if (isLeaving || lease === undefined || !isAbandoned(lease.name, lease)) return;
    const nowMs = clock.monotonic();
    isTaken = await changes.takeLease(owner, lease);
    beatMs = nowMs;
    // A process that left meanwhile gives it back at once.
    if (isTaken && !isLeaving) log.info({}, "this worker does the upkeep");
  }

  return {
    // A process that was suspended may have lost the lease without knowing it yet.
    isOwn: () => isTaken && clock.monotonic() - beatMs < SILENT_MS,

    async tick() {
      if (isLeaving) return;
      underWay = (isTaken ? beat() : takeIfFree()).catch((error) =>
        log.warn({ err: error }, "the upkeep lease could not be acquired or renewed"),
      );
      await underWay;
    },

    async leave() {
      isLeaving = true;
      // A tick in progress may be about to take the lease.
      await underWay;
      if (!isTaken) return;
      isTaken = false;
      await changes.leaveLease(owner).catch(() => {});
    },
  };
}
