import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { UsedKey } from "../keys/key-use.ts";
import { recordKeyUse } from "../keys/keys.store.ts";
import type { Clock } from "../ports/clock.ts";
import { addUsage, type UsageEntry, type UsageReceipt } from "./usage.store.ts";

/**
 * An answer waits for two commits at the most. Both together must be over well before the server
 * gives up an idle connection: a request that was not answered must not be counted later.
 */
const WAIT_MAX_MS = 3_000;

/** Some 20 MB of the write-ahead log. */
const COMMITS_PER_CHECKPOINT = 2_000;

/**
 * Commits entries and the use of keys on the connection that serves, which waits for no disk (README,
 * "What survives…"). Now and then a checkpoint comes before it, elsewhere: nothing may be committed
 * meanwhile, else the write-ahead log would never be through and grow for ever.
 * @param checkpoint settles when it is over
 */
export function createUsageCommits(db: Database, clock: Clock, checkpoint: () => Promise<void>) {
  let commits = 0;
  return async (entries: readonly UsageEntry[], keyUses: readonly UsedKey[]) => {
    commits += 1;
    // Where it fails the log goes on growing, and the commit itself meets what is wrong.
    if (commits % COMMITS_PER_CHECKPOINT === 0) await checkpoint().catch(() => {});
    return inTransaction(
      db,
      clock,
      (): UsageReceipt[] => {
        for (const { keyId, usedAt } of keyUses) recordKeyUse(db, keyId, usedAt);
        return addUsage(db, entries);
      },
      WAIT_MAX_MS,
    );
  };
}
