import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { createIsAbandoned } from "../../ports/abandoned.ts";
import type { Ports } from "../../ports/ports.ts";
import { processName } from "../../ports/running.ts";
import { createLease, SILENT_MS, type UpkeepLease } from "./lease.ts";
import { type leaseChanges, selectLease } from "./leases.store.ts";

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
