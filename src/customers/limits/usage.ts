import type { Database } from "../../db/database.ts";
import { inTransaction, type Wait } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { recordKeyUse } from "../keys/keys.store.ts";
import type { UsedKey } from "../keys/keys.ts";
import { addUsage, createUsageStore, type UsageEntry, type UsageReceipt } from "./usage.store.ts";

export type Usage = ReturnType<typeof createUsage>;

export interface Charge {
  /** False if the quota had no room for the request, which then cost nothing. */
  allowed: boolean;
  /** Units used in the period, including this request. */
  used: number;
  /** Refused without counting: the caller must be checked again, by the newest accounts and as of `at`. */
  isOutdated: boolean;
  /** When it was counted or refused, by the commit's clock. */
  at: number;
}

/** Commits entries; settles once they are in the database. */
export type CommitUsage = (entries: UsageEntry[]) => Promise<UsageReceipt[]>;

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
  /** The batch of the next commit; null if no request waits for it. */
  let waiting: ReturnType<typeof newBatch> | null = null;

  function knownUsed(organizationId: number, periodStartedAt: number): number {
    const last = known.get(organizationId);
    return last?.periodStartedAt === periodStartedAt ? last.used : 0;
  }

  function newBatch() {
    const batch = createUsageBatch();
    const receipts = underWay.then(() => {
      waiting = null;
      return commit(batch.entries);
    });
    underWay = receipts.catch(() => undefined);
    return { batch, receipts };
  }

  return {
    used: (organizationId: number, periodStartedAt: number): number =>
      Math.max(
        store.used(organizationId, periodStartedAt),
        knownUsed(organizationId, periodStartedAt),
      ),

    /** Lower bound for the units used in a period, known without a query. */
    usedAtLeast: knownUsed,

    /**
     * Counts a request; settles once its units are committed or refused.
     * @throws AppError `unavailable`, with nothing counted, if they could not be committed
     */
    async charge(request: UsageOfRequest): Promise<Charge> {
      waiting ??= newBatch();
      const { batch, receipts } = waiting;
      const [place, nth] = batch.add(request);
      const receipt = (await receipts)[place] as UsageReceipt;
      const { at, accepted, used, periodStartedAt, isOutdated = false } = receipt;
      if (isOutdated) return { allowed: false, used, isOutdated, at };
      const { organizationId } = request;
      known.set(organizationId, { periodStartedAt, used });
      noteUsed(organizationId, periodStartedAt, used, request.quota);
      const after = Math.max(0, accepted - nth) * request.units;
      return { allowed: nth <= accepted, used: used - after, isOutdated, at };
    },

    settled: async (): Promise<void> => {
      await underWay;
    },
  };
}

/** Percentages of a period's quota at which an organization is notified; highest first. */
const LEVELS = [100, 80] as const;

export interface QuotaNotice {
  organizationId: number;
  periodStartedAt: number;
  percent: number;
  quota: number;
}

/**
 * Notifies an organization once per level that it has used that share of its quota. The memory here only
 * avoids queries: the database knows whether a mail was sent.
 * @param notify queues the mail unless one was queued for the period and level
 */
export function createQuotaNotices(notify: (notice: QuotaNotice) => Promise<void>, log: Log) {
  const notified = new Map<number, { periodStartedAt: number; percent: number }>();

  /** Called after every commit of an organization's usage. */
  return (organizationId: number, periodStartedAt: number, used: number, quota: number): void => {
    if (used * 100 < quota * 80) return;
    const percent = LEVELS.find((level) => used * 100 >= quota * level) ?? 0;
    const last = notified.get(organizationId);
    if (last?.periodStartedAt === periodStartedAt && last.percent >= percent) return;
    notified.set(organizationId, { periodStartedAt, percent });
    notify({ organizationId, periodStartedAt, percent, quota }).catch((error) => {
      notified.delete(organizationId);
      log.warn({ err: error, organizationId }, "a mail about a quota could not be queued");
    });
  };
}

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
function createUsageBatch() {
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

/** Minimum interval between log lines about a continuing outage. */
const LOG_AGAIN_MS = 60_000;
/** How long each failed commit of a repeated outage keeps the process unready, whatever follows. */
const UNREADY_MS = 10_000;
/**
 * An outage counts as repeated if it follows another within this time. Otherwise storage that fails
 * intermittently would make the process alternate between ready and unready.
 */
const FOLLOWS_MS = 60_000;

const UNREADY = "Usage cannot be committed: requests that cost are answered 503.";

/**
 * Watches for failing commits of usage, which every billed request waits for. Logs when an outage begins,
 * at most once a minute while it continues, and when it ends.
 */
export function createCommitOutage(clock: Clock, log: Log) {
  let outage: { beganMs: number; loggedMs: number; failures: number } | null = null;
  let lastEndMs = Number.NEGATIVE_INFINITY;
  let isRepeated = false;
  let lastFailureMs = Number.NEGATIVE_INFINITY;
  let trying: Promise<string | null> | null = null;

  function worked(): void {
    if (outage === null) return;
    const { beganMs, failures } = outage;
    outage = null;
    lastEndMs = clock.monotonic();
    const durationMs = Math.round(lastEndMs - beganMs);
    log.info({ failures, durationMs }, "usage is committed again");
  }

  return {
    failed(error: unknown): void {
      const nowMs = clock.monotonic();
      lastFailureMs = nowMs;
      if (outage === null) {
        isRepeated = nowMs - lastEndMs < FOLLOWS_MS;
        outage = { beganMs: nowMs, loggedMs: nowMs, failures: 1 };
        log.warn({ err: error }, "usage could not be committed");
        return;
      }
      outage.failures += 1;
      if (nowMs - outage.loggedMs < LOG_AGAIN_MS) return;
      outage.loggedMs = nowMs;
      log.warn({ failures: outage.failures }, "usage still cannot be committed");
    },

    worked,

    /**
     * Why requests should be sent elsewhere, or null. Once they are, no request commits anything here, so a
     * commit is tried instead: otherwise the outage would never end.
     * @param tryCommit commits a write
     */
    async check(tryCommit: () => Promise<unknown>): Promise<string | null> {
      if (isRepeated && clock.monotonic() - lastFailureMs < UNREADY_MS) return UNREADY;
      if (outage === null) return null;
      // Shared by everybody who asks while it is in progress.
      trying ??= tryCommit()
        .then(
          () => {
            worked();
            return null;
          },
          () => UNREADY,
        )
        .finally(() => {
          trying = null;
        });
      return trying;
    },
  };
}
