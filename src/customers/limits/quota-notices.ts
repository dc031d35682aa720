import type { Log } from "../../ports/log.ts";

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
