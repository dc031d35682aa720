import type { Database } from "../../db/database.ts";
import { inTransaction, type Wait } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { UsedKey } from "../keys/key-use.ts";
import { recordKeyUse } from "../keys/keys.store.ts";
import { addUsage, type UsageEntry, type UsageReceipt } from "./usage.store.ts";

/**
 * An answer waits for two commits at the most. Both together must be over well before the server
 * gives up an idle connection: a request that was not answered must not be counted later.
 */
const WAIT: Wait = { maxMs: 3_000, lookMs: 1 };

/** The length of the write-ahead log is looked at after every 100 commits. */
const COMMITS_PER_LOOK = 100;

/**
 * Commits entries and the use of keys on the connection that serves, which waits for no disk (guide
 * Operating, "What survives…"). Now and then it has the write-ahead log checkpointed elsewhere; while
 * that holds the lock a commit waits for it as for any other writer's.
 * @param checkpoint is told how many commits there were since the last one; settles when it is over
 */
export function createUsageCommits(
  db: Database,
  clock: Clock,
  checkpoint: (ownCommits: number) => Promise<void>,
) {
  let commits = 0;
  let isUnderWay = false;

  /** Ignores a failure: the log goes on growing, and commits themselves meet what is wrong. */
  async function beginCheckpoint(): Promise<void> {
    isUnderWay = true;
    await checkpoint(commits).catch(() => {});
    isUnderWay = false;
    commits = 0;
  }

  return async (entries: readonly UsageEntry[], keyUses: readonly UsedKey[]) => {
    commits += 1;
    if (commits >= COMMITS_PER_LOOK && !isUnderWay) void beginCheckpoint();
    return inTransaction(
      db,
      clock,
      "usage",
      (tx): UsageReceipt[] => {
        for (const { keyId, usedAt } of keyUses) recordKeyUse(tx, keyId, usedAt);
        return addUsage(tx, entries);
      },
      WAIT,
    );
  };
}
