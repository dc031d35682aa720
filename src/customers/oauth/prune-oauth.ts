import type { Database } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import {
  deleteEndedCodes,
  deleteEndedGrants,
  deleteEndedTokens,
  deleteIdleClients,
} from "./prune-oauth.store.ts";

/** How long a client is kept that nobody has granted anything. */
const IDLE_MS = 2 * DAY_MS;
/** How long an expired code is kept, so that using it again is noticed. */
const CODE_KEPT_MS = DAY_MS;

/** Removes what has expired or was never used: tokens, codes, grants, and then clients without any. */
export async function pruneOAuth(db: Database, clock: Clock): Promise<void> {
  const nowMs = clock.now();
  const steps = [
    { remove: deleteEndedTokens, until: nowMs },
    { remove: deleteEndedCodes, until: nowMs - CODE_KEPT_MS },
    { remove: deleteEndedGrants, until: nowMs },
    { remove: deleteIdleClients, until: nowMs - IDLE_MS },
  ];
  for (const { remove, until } of steps) {
    await inParts(db, clock, "prune-oauth", (tx) => remove(tx, until));
  }
}
