import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { recount } from "../directory/recount.ts";
import type { Watchers } from "../manage/removals.store.ts";
import { removeChannel } from "../manage/removals.ts";
import { forgetSample, selectSample } from "./sample.store.ts";

/**
 * Removes the channels of the sample with their posts and statistics; those that an import changed are
 * left. Interrupted, it is to be called again. @returns how many channels were removed
 */
export async function removeSample(
  db: Database,
  clock: Clock,
  watchers: Watchers,
  by: Actor,
): Promise<number> {
  const ids = selectSample(db);
  for (const id of ids) await removeChannel(db, clock, watchers, { id, intoId: null }, by);
  if (ids.length > 0) await recount(db, clock);
  await inTransaction(db, clock, "sample", async (tx) => {
    forgetSample(tx);
    if (ids.length === 0) return;
    await recordChange(tx, clock, by, {
      organizationId: null,
      action: "sample.remove",
      target: "sample channels",
      details: { channels: ids.length },
    });
  });
  return ids.length;
}
