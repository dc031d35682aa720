import type { Database } from "../../../db/database.ts";
import { includedAlerts } from "../events/served.ts";
import { alertAfter } from "./alerts.store.ts";

/**
 * The alert from which on an organization's alerts pause: of more than the plan in force includes the
 * newest get nothing, until it includes them again. Infinity where none pauses.
 */
export async function pausedFrom(
  db: Database,
  organizationId: number,
  nowMs: number,
): Promise<number> {
  const before = await includedAlerts(db, organizationId, nowMs);
  return (await alertAfter(db, { organizationId, before })) ?? Number.POSITIVE_INFINITY;
}
