import { createKeyUse, type KeyUse } from "../customers/keys/key-use.ts";
import { createCommitOutage } from "../customers/limits/commit-outage.ts";
import { createUsageCommits } from "../customers/limits/commit-usage.ts";
import { createLimits, type Limits } from "../customers/limits/limits.ts";
import { createQuotaNotices } from "../customers/limits/quota-notices.ts";
import { createRates, type RateBuckets } from "../customers/limits/rates.ts";
import { type CommitUsage, createUsage, type Usage } from "../customers/limits/usage.ts";
import type { Database } from "../db/database.ts";
import { rewriteMeta } from "../db/meta.ts";
import { inTransaction, type Wait } from "../db/transaction.ts";
import { noteLogged } from "../doors/http/answers.ts";
import type { Ports } from "../ports/ports.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import type { ClusterPart } from "./compose-cluster.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** A look at readiness waits so long for the lock. */
const TRY: Wait = { maxMs: 500, lookMs: 1 };

/**
 * Counts requests and says which are too many; notes the use of keys along with it.
 * @param rateBuckets those that workers share; this process has its own where there is one
 */
export function composeLimits(
  db: Database,
  threads: DatabaseThreads,
  { clock, log }: Ports,
  counted: Metrics["counted"],
  rateBuckets: RateBuckets | undefined,
  cluster: ClusterPart,
): {
  keyUse: KeyUse;
  usage: Usage;
  limits: Limits;
  /** Why no usage can be committed, or null. */
  commitCheck(): Promise<string | null>;
} {
  const keyUse = createKeyUse();
  const outage = createCommitOutage(clock, log);
  const commit =
    cluster.usage?.commit ?? createUsageCommits(db, clock, threads.checkpoints.checkpointBeside);
  const commitUsage: CommitUsage = async (entries) => {
    const keyUses = keyUse.take();
    try {
      const receipts = await commit(entries, keyUses);
      outage.worked();
      return receipts;
    } catch (error) {
      keyUse.giveBack(keyUses);
      outage.failed(error);
      noteLogged(error);
      throw error;
    }
  };
  const usage = createUsage(
    db,
    counted.commits(commitUsage),
    createQuotaNotices(threads.push.tellQuota, log),
  );
  return {
    keyUse,
    usage,
    limits: createLimits(createRates(clock, rateBuckets), usage),
    commitCheck: () =>
      outage.check(
        () => cluster.usage?.commit([], []) ?? inTransaction(db, clock, "usage", rewriteMeta, TRY),
      ),
  };
}
