import type { Database } from "../../../db/database.ts";
import { inParts } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import {
  bodiesOlder,
  deleteBody,
  deleteDelivery,
  deliveriesOlder,
} from "./prune-deliveries.store.ts";

/** How long the log of attempts is kept, and the bodies of what is not waiting for an attempt. */
const LOG_MS = 30 * DAY_MS;
const BODY_MS = 2 * DAY_MS;
/** Rows that are removed in one step: a body may be of a megabyte. */
const PRUNED_MAX = 10;

/** Removes deliveries and bodies that are old enough. */
export async function pruneDeliveries(db: Database, clock: Clock): Promise<void> {
  const nowMs = clock.now();
  const kinds = [
    { find: deliveriesOlder, remove: deleteDelivery, createdBefore: nowMs - LOG_MS },
    { find: bodiesOlder, remove: deleteBody, createdBefore: nowMs - BODY_MS },
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
