import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import type { Ports } from "../../ports/ports.ts";
import { createIsAbandoned, processName } from "../../ports/system.ts";
import { type leaseChanges, selectLease } from "./leases.store.ts";

/**
 * A lease for an appliance's upkeep, which a single process does: jobs, push, mail, abandoned imports,
 * sources.
 */
export interface UpkeepLease {
  /** Whether this process holds it. */
  isOwn(): boolean;
  /** Called every second: takes the lease if nobody holds it, or renews it. Never throws. */
  tick(): Promise<void>;
  /** Releases it so that another process can take over at once. Never throws. */
  leave(): Promise<void>;
}

/** For a process that serves alone. */
export const ALWAYS_OWN: UpkeepLease = {
  isOwn: () => true,
  tick: async () => {},
  leave: async () => {},
};

const HEARTBEAT_MS = 1_500;
/** Silence after which another process takes over: four heartbeats. */
export const SILENT_MS = 6_000;

/** Where a lease is recorded, and how its changes are logged. */
interface LeaseRecord {
  /**
   * Takes the lease if it is free, or renews it.
   * @param isLeaving whether the process has begun to leave, and must not take it any more
   * @returns whether this process holds it now; null if it did not ask for it
   */
  beat(isTaken: boolean, isLeaving: () => boolean): Promise<boolean | null>;
  release(): Promise<unknown>;
  noteFailure(error: unknown): void;
  /** Log messages for a lease that was taken, and for one that was lost. */
  takenText: string;
  lostText: string;
}

/** Takes and renews a lease. */
export function createLease(
  { beat, release, noteFailure, takenText, lostText }: LeaseRecord,
  { clock, log }: Pick<Ports, "clock" | "log">,
): UpkeepLease {
  let isTaken = false;
  let isLeaving = false;
  let underWay: Promise<void> = Promise.resolve();
  /** This process's last heartbeat, by the monotonic clock. */
  let beatMs = Number.NEGATIVE_INFINITY;

  async function beatIfDue(): Promise<void> {
    const nowMs = clock.monotonic();
    if (nowMs - beatMs < HEARTBEAT_MS) return;
    const isOurs = await beat(isTaken, () => isLeaving);
    if (isOurs === null) return;
    // A process that left meanwhile gives it back at once.
    if (isOurs && !isTaken && !isLeaving) log.info({}, takenText);
    if (!isOurs && isTaken) log.warn({}, lostText);
    isTaken = isOurs;
    beatMs = nowMs;
  }

  return {
    // A process that was suspended may have lost the lease without knowing it yet.
    isOwn: () => isTaken && clock.monotonic() - beatMs < SILENT_MS,

    async tick() {
      if (isLeaving) return;
      underWay = beatIfDue().catch(noteFailure);
      await underWay;
    },

    async leave() {
      isLeaving = true;
      // A tick in progress may be about to take the lease.
      await underWay;
      if (!isTaken) return;
      isTaken = false;
      await release().catch(() => {});
    },
  };
}

/**
 * Lease for work that one worker does for all workers of a file. If its process is gone, another worker
 * takes over at once.
 * @param changes run on a writing connection
 */
export function createWorkerLease(
  db: Database,
  changes: Calls<typeof leaseChanges>,
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
): UpkeepLease {
  const owner = processName(random.uuid(clock.now()));
  const isAbandoned = createIsAbandoned(owner, SILENT_MS, clock);
  const record = {
    async beat(isTaken: boolean, isLeaving: () => boolean) {
      if (isTaken) return changes.beatLease(owner);
      const lease = await selectLease(db);
      if (isLeaving() || lease === undefined || !isAbandoned(lease.name, lease)) return null;
      return changes.takeLease(owner, lease);
    },
    release: () => changes.leaveLease(owner),
    noteFailure: (error: unknown) =>
      log.warn({ err: error }, "the upkeep lease could not be acquired or renewed"),
    takenText: "this worker does the upkeep",
    lostText: "another worker has taken over the upkeep",
  };
  return createLease(record, { clock, log });
}
