import type { Database } from "../../db/database.ts";
import { inTransaction, type Wait } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { UsedKey } from "../keys/key-use.ts";
import { recordKeyUse } from "../keys/keys.store.ts";
import { addUsage, type UsageEntry, type UsageReceipt } from "./usage.store.ts";

/**
 * Wait for the lock. An answer waits for at most two commits. Together they must end well before the server
 * closes an idle connection: a request that was never answered must not be counted later.
 */
const WAIT: Wait = { maxMs: 3_000, rank: "usage" };

/** Commits between two looks at the length of the write-ahead log. */
const COMMITS_PER_LOOK = 100;

/**
 * Commits usage and the use of keys on the serving connection, without waiting for the disk (guide
 * Operating, "What survives…"). Occasionally has the write-ahead log checkpointed elsewhere; a commit waits
 * for that as for any other writer.
 * @param readClock throws while the clock is wrong
 * @param checkpoint receives the number of commits since the last one; settles when it is done
 */
export function createUsageCommits(
  db: Database,
  clock: Clock,
  readClock: () => number,
  checkpoint: (ownCommits: number) => Promise<void>,
) {
  let commits = 0;
  let isUnderWay = false;

  /** Ignores a failure: the log keeps growing, and commits will meet the fault themselves. */
  async function beginCheckpoint(): Promise<void> {
    isUnderWay = true;
    await checkpoint(commits).catch(() => {});
    isUnderWay = false;
    commits = 0;
  }

  return async (entries: readonly UsageEntry[], keyUses: readonly UsedKey[]) => {
    commits += 1;
    if (commits >= COMMITS_PER_LOOK && !isUnderWay) void beginCheckpoint();
    return inTransaction(
      db,
      clock,
      "usage",
      (tx): UsageReceipt[] => {
        const at = readClock();
        for (const { keyId, usedAt } of keyUses) recordKeyUse(tx, keyId, usedAt);
        return addUsage(tx, entries, at);
      },
      WAIT,
    );
  };
}

export type UsageOfRequest = Omit<UsageEntry, "requests">;

/** Requests to be committed together: those of the same kind share an entry. */
export function createUsageBatch() {
  const entries: UsageEntry[] = [];
  /** Indexes into `entries`, by key. A key has few, so a matching entry is found by trying each. */
  const places = new Map<number, number[]>();
  return {
    entries,

    /** @returns index of the request's entry, and the request's own index among the entry's requests */
    add(request: UsageOfRequest): [at: number, nth: number] {
      const ofKey = places.get(request.keyId) ?? [];
      const at = ofKey.find((place) => isSameKind(entries[place] as UsageEntry, request));
      if (at === undefined) {
        places.set(request.keyId, [...ofKey, entries.length]);
        entries.push({ ...request, requests: 1 });
        return [entries.length - 1, 1];
      }
      const entry = entries[at] as UsageEntry;
      entry.requests += 1;
      return [at, entry.requests];
    },
  };
}

function isSameKind(entry: UsageEntry, request: UsageOfRequest): boolean {
  return (
    entry.method === request.method &&
    entry.status === request.status &&
    entry.units === request.units &&
    entry.isPart === request.isPart &&
    entry.planStartedAt === request.planStartedAt &&
    entry.endsAt === request.endsAt &&
    entry.quota === request.quota &&
    entry.organizationId === request.organizationId &&
    entry.copy?.version === request.copy?.version
  );
}
