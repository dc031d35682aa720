import type { Database } from "../../../db/database.ts";
import { inParts } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import {
  deleteBody,
  deleteDelivery,
  selectOldBodies,
  selectOldDeliveries,
} from "./prune-deliveries.store.ts";

/** How long deliveries are kept with their attempts. */
const LOG_MS = 30 * DAY_MS;
/** How long their bodies are kept, which a resend needs. */
const BODY_MS = 2 * DAY_MS;
/** Rows to remove per step: a body may have a megabyte. */
const PRUNED_MAX = 10;

/** Removes old deliveries and bodies; pending deliveries stay. */
export async function pruneDeliveries(db: Database, clock: Clock): Promise<void> {
  const nowMs = clock.now();
  const kinds = [
    { find: selectOldDeliveries, remove: deleteDelivery, createdBefore: nowMs - LOG_MS },
    { find: selectOldBodies, remove: deleteBody, createdBefore: nowMs - BODY_MS },
  ];
  for (const { find, remove, createdBefore } of kinds) {
    for (let after = 0; ; ) {
      const ids = await find(db, { after, createdBefore });
      const last = ids.at(-1);
      if (last === undefined) break;
      await inParts(db, clock, "prune-deliveries", async (tx) => {
        for (const id of ids.splice(0, PRUNED_MAX)) await remove(tx, id);
        return ids.length > 0;
      });
      after = last;
    }
  }
}
