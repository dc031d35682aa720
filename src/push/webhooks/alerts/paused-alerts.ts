import type { Database } from "../../../db/database.ts";
import { includedAlerts } from "../events/served.ts";
import { alertAfter } from "./alerts.store.ts";

/**
 * Number of an organization's first paused alert; alerts with higher numbers are paused too. If there are
 * more than the current plan includes, the newest pause until it includes them again.
 * @returns infinity if none is paused
 */
export async function pausedFrom(
  db: Database,
  organizationId: number,
  nowMs: number,
): Promise<number> {
  const before = await includedAlerts(db, organizationId, nowMs);
  return (await alertAfter(db, { organizationId, before })) ?? Number.POSITIVE_INFINITY;
}
