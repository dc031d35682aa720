import { clusterOf } from "../../db/cluster/link.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Day } from "../../values/moscow-time.ts";
import { deleteOldestDay, selectNextWithUsage } from "./usage.store.ts";

/** Days for which daily usage is kept. */
const USAGE_DAYS_KEPT = 400;

/**
 * Removes older days of usage, one organization's day per step, and records the last day removed, so that
 * the database's checks do not take those days for lost: a clock that is ahead may remove days of this
 * year.
 * @returns number of rows removed
 */
export async function pruneUsage(db: Database, clock: Clock, today: Day): Promise<number> {
  const until = today - USAGE_DAYS_KEPT;
  let removed = 0;
  let id = await selectNextWithUsage(db, 0);
  await inParts(db, clock, "prune-usage", async (tx) => {
    if (id === null) return false;
    const rows = await deleteOldestDay(tx, id, until);
    if (rows > 0 && removed === 0) noteRemoval(tx, until);
    removed += rows;
    if (rows === 0) id = await selectNextWithUsage(tx, id);
    return true;
  });
  await forgetDays(db, until);
  return removed;
}

/** PostgreSQL's days, in a cluster: each node removes them and usually finds few. */
async function forgetDays(db: Database, until: Day): Promise<void> {
  const cluster = clusterOf(db);
  const text = "DELETE FROM kanalog.usage_days WHERE day <= $1";
  if (cluster !== null) await cluster.authority.query({ text, values: [until] });
}

/** Recorded with the first removal, because a run that is cut off later has removed something too. */
function noteRemoval(tx: Transaction, until: Day): void {
  const before = Number(Buffer.from(findMeta(tx, "usage_removed_until") ?? []).toString());
  if (until > before) writeMeta(tx, "usage_removed_until", Buffer.from(String(until)));
}
