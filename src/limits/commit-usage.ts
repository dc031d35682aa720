import { createWriteSwitch, type Database } from "../db/database.ts";
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

/** Some 8 MB of the write-ahead log. */
const COMMITS_PER_CHECKPOINT = 1_000;

/**
 * Commits entries and the use of keys on the connection that serves, which waits for no disk (README,
 * "What survives…"). Now and then it has the write-ahead log folded elsewhere: most of it beside
 * further commits, then what those have added, while the next one waits. Without that wait nobody
 * would ever come to the log's end, and it would grow for ever.
 * @param checkpoint folds what the log has; settles when that is over
 */
export function createUsageCommits(db: Database, clock: Clock, checkpoint: () => Promise<void>) {
  const setWriting = createWriteSwitch(db.$client);
  let commits = 0;
  let isMostlyFolded = false;

  /** Where it fails the log goes on growing, and commits themselves meet what is wrong. */
  async function foldMost(): Promise<void> {
    await checkpoint().catch(() => {});
    isMostlyFolded = true;
  }

  return async (entries: readonly UsageEntry[], keyUses: readonly UsedKey[]) => {
    commits += 1;
    if (commits === COMMITS_PER_CHECKPOINT) void foldMost();
    if (isMostlyFolded) {
      isMostlyFolded = false;
      commits = 0;
      await checkpoint().catch(() => {});
    }
    setWriting(true);
    try {
      return await inTransaction(
        db,
        clock,
        (): UsageReceipt[] => {
          for (const { keyId, usedAt } of keyUses) recordKeyUse(db, keyId, usedAt);
          return addUsage(db, entries);
        },
        WAIT_MAX_MS,
      );
    } finally {
      setWriting(false);
    }
  };
}
