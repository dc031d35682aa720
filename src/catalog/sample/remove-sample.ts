import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { recount } from "../directory/recount.ts";
import type { Watchers } from "../manage/removals.store.ts";
import { finishRemovals, removeChannel } from "../manage/removals.ts";
import { forgetSample, selectSample } from "./sample.store.ts";

/**
 * Removes the sample's channels with their posts and statistics; channels that an import changed are kept.
 * If interrupted, call it again; if called twice at once, each channel is removed by one of the calls.
 * @returns number of channels removed
 */
export async function removeSample(
  db: Database,
  clock: Clock,
  watchers: Watchers,
  by: Actor,
): Promise<number> {
  let removed = 0;
  for (const id of selectSample(db)) {
    // Another call may have removed it meanwhile, and its number may now belong to one of the operator's
    // own.
    if (!selectSample(db).includes(id)) continue;
    if (await removeThere(() => removeChannel(db, clock, watchers, { id, intoId: null }, by))) {
      removed += 1;
    }
  }
  // Numbers of channels that another call removes are freed once these are completely gone.
  await finishRemovals(db, clock, watchers);
  if (removed > 0) await recount(db, clock);
  await inTransaction(db, clock, "sample", async (tx) => {
    forgetSample(tx);
    if (removed === 0) return;
    const details = { channels: removed };
    await recordChange(tx, clock, by, { action: "sample.remove", id: "channels", details });
  });
  return removed;
}

/** @returns false if the channel no longer existed */
async function removeThere(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return false;
    throw error;
  }
}
