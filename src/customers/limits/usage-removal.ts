import type { Transaction } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { dayOf } from "../../values/moscow-time.ts";

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
