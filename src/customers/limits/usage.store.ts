import { type Database, statement, type Transaction } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import type { Place } from "../../db/shared-rows.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { periodAt } from "../accounts/plan.ts";

/** Requests of the same kind, counted together. */
export interface UsageEntry {
  organizationId: number;
  keyId: number;
  method: string;
  status: number;
  /** Since when the plan is in force. The commit's own clock decides on the day and the period. */
  planStartedAt: number;
  /** When the key or the plan ends, exclusive; `Infinity` for never. */
  endsAt: number;
  quota: number;
  /** Units that each request costs. */
  units: number;
  requests: number;
  /** Whether these are further units of requests that have already been counted. */
  isPart: boolean;
  /**
   * State of this node's copy by which the requests were admitted; null on a standalone appliance, or to use
   * the state at the commit.
   */
  copy: Place | null;
}

export interface UsageReceipt {
  /** The commit's clock, by which it decided on the day and the period. */
  at: number;
  periodStartedAt: number;
  /** How many of the requests, counted from the first, fit into the quota. */
  accepted: number;
  /** Units used in the period, including this entry. */
  used: number;
  /**
   * Refused without counting: the key or the plan has ended since, or an account that admitted the requests
   * differs from this node's copy.
   */
  isOutdated?: boolean;
}

/** Status recorded for requests that did not fit into the quota. */
const REFUSED_STATUS = 429;

// Raw SQL, because every billed request waits for counting.
const USED = "SELECT used FROM usage_periods WHERE organization_id = ? AND started_at = ?";

const ADD_USED = `
  INSERT INTO usage_periods (organization_id, started_at, used) VALUES (?, ?, ?)
  ON CONFLICT (organization_id, started_at) DO UPDATE SET used = used + excluded.used`;

const ADD_DAY = `
  INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (organization_id, day, method, key_id, status)
  DO UPDATE SET requests = requests + excluded.requests, units = units + excluded.units`;

export function createUsageStore(db: Database) {
  const used = statement<{ used: number }>(db, USED);
  return {
    used: (organizationId: number, periodStartedAt: number): number =>
      used.get(organizationId, periodStartedAt)?.used ?? 0,
  };
}

/**
 * Counts entries in order, in the caller's transaction. This is the only place that decides whether a
 * request fits into the quota, so several processes together never exceed it; and the only one that decides
 * on the day and the period, so that they agree with the clock by which they are committed.
 * @param at the clock, read in this transaction; epoch milliseconds
 */
export function addUsage(
  tx: Transaction,
  entries: readonly UsageEntry[],
  at: number,
): UsageReceipt[] {
  const store = createUsageStore(tx);
  const addUsed = statement(tx, ADD_USED);
  const addDay = statement(tx, ADD_DAY);
  const day = dayOf(at);
  return entries.map((entry) => {
    const { organizationId, keyId, method, status, units, requests, planStartedAt } = entry;
    const periodStartedAt = periodAt(planStartedAt, at).startedAt;
    const counted = (some: number): number => (entry.isPart ? 0 : some);
    const before = store.used(organizationId, periodStartedAt);
    const receipt = { at, periodStartedAt };
    // Its caller must be checked again before anything is charged.
    if (units > 0 && at >= entry.endsAt)
      return { ...receipt, accepted: 0, used: before, isOutdated: true };
    const accepted = units === 0 ? requests : fitting(entry, before);
    const cost = accepted * units;
    if (cost > 0) addUsed.run(organizationId, periodStartedAt, cost);
    if (accepted > 0)
      addDay.run(organizationId, day, method, keyId, status, counted(accepted), cost);
    const refused = counted(requests - accepted);
    if (refused > 0) addDay.run(organizationId, day, method, keyId, REFUSED_STATUS, refused, 0);
    return { ...receipt, accepted, used: before + cost };
  });
}

function fitting({ quota, units, requests }: UsageEntry, used: number): number {
  return Math.min(requests, Math.max(0, Math.floor((quota - used) / units)));
}

/** Days for which daily usage is kept. */
export const USAGE_DAYS_KEPT = 400;

/**
 * Records the last day of usage that was removed, so that the database's checks do not take those days for
 * lost: a clock that is ahead may remove days of this year.
 */
export function noteUsageRemoval(tx: Transaction, untilMs: number): void {
  const until = dayOf(untilMs);
  const before = Number(Buffer.from(findMeta(tx, "usage_removed_until") ?? []).toString());
  if (until > before) writeMeta(tx, "usage_removed_until", Buffer.from(String(until)));
}
