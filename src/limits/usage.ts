import type { Database } from "../db/database.ts";
import { createUsageStore, type UsageEntry } from "./usage.store.ts";

export type Usage = ReturnType<typeof createUsage>;

/** Commits a batch of units; settles once they are in the database. */
export type CommitUsage = (entries: UsageEntry[]) => Promise<void>;

interface Batch {
  entries: Map<string, UsageEntry>;
  committed: Promise<void>;
}

/**
 * Units by organization and period. Units that arrive while a commit is under way go into the next
 * one together, so a busy moment costs few transactions and nobody waits for more than two.
 */
export function createUsage(db: Database, commit: CommitUsage) {
  const store = createUsageStore(db);
  let underWay: Promise<unknown> = Promise.resolve();
  let waiting: Batch | null = null;

  function newBatch(): Batch {
    const entries = new Map<string, UsageEntry>();
    const committed = underWay.then(() => {
      waiting = null;
      return commit([...entries.values()]);
    });
    underWay = committed.catch(() => undefined);
    return { entries, committed };
  }

  return {
    used: (organizationId: number, periodStartedAt: number): number =>
      store.used(organizationId, periodStartedAt),

    /** Settles when the units are committed; rejects, with nothing counted, when they cannot be. */
    add(organizationId: number, periodStartedAt: number, units: number): Promise<void> {
      waiting ??= newBatch();
      const id = `${organizationId}/${periodStartedAt}`;
      const entry = waiting.entries.get(id);
      if (entry === undefined) {
        waiting.entries.set(id, { organizationId, periodStartedAt, units });
      } else {
        entry.units += units;
      }
      return waiting.committed;
    },

    /** Settles when all that was added is committed. */
    settled: async (): Promise<void> => {
      await underWay;
    },
  };
}
