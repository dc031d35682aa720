import type { Database } from "../../db/database.ts";
import type { Log } from "../../ports/log.ts";
import { createUsageBatch, type UsageOfRequest } from "./commit-usage.ts";
import { createUsageStore, type UsageEntry, type UsageReceipt } from "./usage.store.ts";

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
