import type { Database } from "../../db/database.ts";
import { createUsageStore, type UsageEntry, type UsageReceipt } from "./usage.store.ts";

export type Usage = ReturnType<typeof createUsage>;

/** One request to count. */
type UsageOfRequest = Omit<UsageEntry, "requests">;

export interface Charge {
  /** False if the quota had no room for the request, which then cost nothing. */
  allowed: boolean;
  /** Units used in the period, including this request. */
  used: number;
  /** Refused without counting: the caller must be rechecked with a newer copy of the accounts. */
  isOutdated: boolean;
}

/** Commits entries; settles once they are in the database. */
export type CommitUsage = (entries: UsageEntry[]) => Promise<UsageReceipt[]>;

interface Batch {
  entries: UsageEntry[];
  /** Indexes into `entries`, by key. A key has few, so a matching entry is found by trying each. */
  places: Map<number, number[]>;
  receipts: Promise<UsageReceipt[]>;
}

/**
 * Counts requests. Those arriving during a commit share the next one, so bursts cost few transactions and
 * nobody waits for more than two.
 * @param noteUsed receives the units used in an organization's period, after each commit that counts for it
 */
export function createUsage(
  db: Database,
  commit: CommitUsage,
  noteUsed: (organizationId: number, periodStartedAt: number, used: number, quota: number) => void,
) {
  const store = createUsageStore(db);
  /** The last receipt of each organization: within a period, units only ever increase. */
  const known = new Map<number, { periodStartedAt: number; used: number }>();
  let underWay: Promise<unknown> = Promise.resolve();
  let waiting: Batch | null = null;

  function knownUsed(organizationId: number, periodStartedAt: number): number {
    const last = known.get(organizationId);
    return last?.periodStartedAt === periodStartedAt ? last.used : 0;
  }

  function newBatch(): Batch {
    const entries: UsageEntry[] = [];
    const receipts = underWay.then(() => {
      waiting = null;
      return commit(entries);
    });
    underWay = receipts.catch(() => undefined);
    return { entries, places: new Map(), receipts };
  }

  /** @returns index of the request's entry, and the request's own index among the entry's requests */
  function add({ entries, places }: Batch, request: UsageOfRequest): [at: number, nth: number] {
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
  }

  return {
    /** Units committed for a period, by all processes. */
    used: (organizationId: number, periodStartedAt: number): number =>
      Math.max(
        store.used(organizationId, periodStartedAt),
        knownUsed(organizationId, periodStartedAt),
      ),
    usedByAll: store.usedByAll,

    /** Lower bound for the units used in a period, known without a query. */
    usedAtLeast: knownUsed,

    /**
     * Counts a request; settles once its units are committed or refused.
     * @throws AppError `unavailable`, with nothing counted, if they could not be committed
     */
    async charge(request: UsageOfRequest): Promise<Charge> {
      waiting ??= newBatch();
      const { receipts } = waiting;
      const [at, nth] = add(waiting, request);
      const { accepted, used, isOutdated = false } = (await receipts)[at] as UsageReceipt;
      if (isOutdated) return { allowed: false, used, isOutdated };
      const { organizationId, periodStartedAt } = request;
      known.set(organizationId, { periodStartedAt, used });
      noteUsed(organizationId, periodStartedAt, used, request.quota);
      const after = Math.max(0, accepted - nth) * request.units;
      return { allowed: nth <= accepted, used: used - after, isOutdated };
    },

    /** Settles once all charges are committed or have failed. */
    settled: async (): Promise<void> => {
      await underWay;
    },
  };
}

/** Whether an entry of the request's key counts requests of its kind. */
function isSameKind(entry: UsageEntry, request: UsageOfRequest): boolean {
  return (
    entry.method === request.method &&
    entry.status === request.status &&
    entry.units === request.units &&
    entry.isPart === request.isPart &&
    entry.day === request.day &&
    entry.periodStartedAt === request.periodStartedAt &&
    entry.quota === request.quota &&
    entry.organizationId === request.organizationId
  );
}
