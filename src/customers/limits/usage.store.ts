import { and, eq, gt, lte, min } from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../db/database.ts";
import { change, eqGiven, given, query } from "../../db/query.ts";
import type { Day } from "../../values/moscow-time.ts";
import { usageDays } from "./usage.table.ts";

/** Requests of one kind, counted together. */
export interface UsageEntry {
  organizationId: number;
  keyId: number;
  /** Operation id. */
  method: string;
  /** Status of the answer. */
  status: number;
  day: Day;
  periodStartedAt: number;
  /** Units that the period allows. */
  quota: number;
  /** Units that each of the requests costs. */
  units: number;
  requests: number;
  /** They are further units of requests that were counted already. */
  isPart: boolean;
}

/** The outcome of an entry. */
export interface UsageReceipt {
  /** How many of the requests, from the first on, the quota had room for. */
  accepted: number;
  /** Units used in the period after this entry. */
  used: number;
  /** Refused without counting: an account that the requests went by is not what this node has a copy of. */
  isOutdated?: boolean;
}

/** Requests that the quota had no room for are recorded with this status. */
const REFUSED_STATUS = 429;

// Counting is on every billed request's way, so it runs SQL as a text.
const USED = "SELECT used FROM usage_periods WHERE organization_id = ? AND started_at = ?";

const ADD_USED = `
  INSERT INTO usage_periods (organization_id, started_at, used) VALUES (?, ?, ?)
  ON CONFLICT (organization_id, started_at) DO UPDATE SET used = used + excluded.used`;

const ADD_DAY = `
  INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (organization_id, day, method, key_id, status)
  DO UPDATE SET requests = requests + excluded.requests, units = units + excluded.units`;

const USED_BY_ALL = `
  SELECT u.organization_id AS id, u.used
  FROM json_each(?) given CROSS JOIN usage_periods u
    ON u.organization_id = given.value ->> 0 AND u.started_at = given.value ->> 1`;

export function createUsageStore(db: Database) {
  const used = statement<{ used: number }>(db, USED);
  return {
    /** Units used by each of the organizations in its period; those that used none are left out. */
    usedByAll(
      periods: readonly (readonly [organizationId: number, startedAt: number])[],
    ): Map<number, number> {
      const rows = statement<{ id: number; used: number }>(db, USED_BY_ALL).all(
        JSON.stringify(periods),
      );
      return new Map(rows.map(({ id, used }) => [id, used]));
    },

    /** Units used in the period that started at an instant. */
    used: (organizationId: number, periodStartedAt: number): number =>
      used.get(organizationId, periodStartedAt)?.used ?? 0,
  };
}

/**
 * Counts entries in their order, in the caller's transaction. Only here is it decided whether a request
 * fits into the quota, so that several processes together never exceed it.
 */
export function addUsage(tx: Transaction, entries: readonly UsageEntry[]): UsageReceipt[] {
  const store = createUsageStore(tx);
  const addUsed = statement(tx, ADD_USED);
  const addDay = statement(tx, ADD_DAY);
  return entries.map((entry) => {
    const { organizationId, keyId, method, status, day, periodStartedAt, units, requests } = entry;
    const counted = (some: number): number => (entry.isPart ? 0 : some);
    const before = store.used(organizationId, periodStartedAt);
    const accepted = units === 0 ? requests : fitting(entry, before);
    const cost = accepted * units;
    if (cost > 0) addUsed.run(organizationId, periodStartedAt, cost);
    if (accepted > 0)
      addDay.run(organizationId, day, method, keyId, status, counted(accepted), cost);
    const refused = counted(requests - accepted);
    if (refused > 0) addDay.run(organizationId, day, method, keyId, REFUSED_STATUS, refused, 0);
    return { accepted, used: before + cost };
  });
}

function fitting({ quota, units, requests }: UsageEntry, used: number): number {
  return Math.min(requests, Math.max(0, Math.floor((quota - used) / units)));
}

const nextOrganization = query((db) =>
  db
    .select({ id: min(usageDays.organizationId) })
    .from(usageDays)
    .where(gt(usageDays.organizationId, given("after"))),
);

/** The next organization that has usage, found by one step in the key; null after the last one. */
export async function nextWithUsage(db: Database, after: number): Promise<number | null> {
  return (await nextOrganization(db).get({ after }))?.id ?? null;
}

const removeOldestDay = change((db) => {
  const isOfOrganization = eqGiven(usageDays.organizationId, "organizationId");
  const oldest = db
    .select({ day: min(usageDays.day) })
    .from(usageDays)
    .where(and(isOfOrganization, lte(usageDays.day, given("until"))));
  return db.delete(usageDays).where(and(isOfOrganization, eq(usageDays.day, oldest)));
});

/** Removes the oldest day of an organization, where it is old enough. @returns how many rows it had */
export async function deleteOldestDay(
  tx: Transaction,
  organizationId: number,
  until: Day,
): Promise<number> {
  const { changes } = await removeOldestDay(tx).run({ organizationId, until });
  return changes;
}
