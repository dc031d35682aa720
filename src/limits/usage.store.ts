import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { usagePeriods } from "./usage.table.ts";

/** Units to add to one organization's period. */
export interface UsageEntry {
  organizationId: number;
  periodStartedAt: number;
  units: number;
}

export function createUsageStore(db: Database) {
  const usedIn = db
    .select({ used: usagePeriods.used })
    .from(usagePeriods)
    .where(
      and(
        eq(usagePeriods.organizationId, sql.placeholder("organizationId")),
        eq(usagePeriods.startedAt, sql.placeholder("startedAt")),
      ),
    )
    .prepare();

  return {
    used(organizationId: number, periodStartedAt: number): number {
      return usedIn.get({ organizationId, startedAt: periodStartedAt })?.used ?? 0;
    },
  };
}

/** Adds a batch in the caller's transaction. Runs on the writer thread. */
export function addUsage(db: Database, entries: readonly UsageEntry[]): void {
  for (const { organizationId, periodStartedAt, units } of entries) {
    db.insert(usagePeriods)
      .values({ organizationId, startedAt: periodStartedAt, used: units })
      .onConflictDoUpdate({
        target: [usagePeriods.organizationId, usagePeriods.startedAt],
        set: { used: sql`${usagePeriods.used} + ${units}` },
      })
      .run();
  }
}
