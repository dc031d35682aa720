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

/** After so many commits it is looked how long the write-ahead log has become. */
const COMMITS_PER_LOOK = 100;

/**
 * Commits entries and the use of keys on the connection that serves, which waits for no disk (README,
 * "What survives…"). Now and then it has the write-ahead log folded elsewhere; while that holds the
 * lock a commit waits for it as for any other writer's.
 * @param foldLog settles when it is over
 */
export function createUsageCommits(db: Database, clock: Clock, foldLog: () => Promise<void>) {
  let commits = 0;
  let isFolding = false;

  /** Where it fails the log goes on growing, and commits themselves meet what is wrong. */
  async function fold(): Promise<void> {
    isFolding = true;
    await foldLog().catch(() => {});
    isFolding = false;
    commits = 0;
  }

  return async (entries: readonly UsageEntry[], keyUses: readonly UsedKey[]) => {
    commits += 1;
    if (commits >= COMMITS_PER_LOOK && !isFolding) void fold();
    return inTransaction(
      db,
      clock,
      "usage",
      (): UsageReceipt[] => {
        for (const { keyId, usedAt } of keyUses) recordKeyUse(db, keyId, usedAt);
        return addUsage(db, entries);
      },
      WAIT_MAX_MS,
    );
  };
}
