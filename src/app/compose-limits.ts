import { createKeyUse } from "../customers/keys/key-use.ts";
import { createCommitOutage } from "../customers/limits/commit-outage.ts";
import { createUsageCommits } from "../customers/limits/commit-usage.ts";
import { createLimits } from "../customers/limits/limits.ts";
import { createQuotaNotices } from "../customers/limits/quota-notices.ts";
import { createRates } from "../customers/limits/rates.ts";
import { createTimeBudgets } from "../customers/limits/time-budgets.ts";
import { type CommitUsage, createUsage } from "../customers/limits/usage.ts";
import { rewriteMeta } from "../db/meta.ts";
import { inTransaction, type Wait } from "../db/transaction.ts";
import { noteLogged } from "../doors/http/answers.ts";
import type { Base } from "./compose-base.ts";

/** How long a readiness check may wait for the write lock. */
const TRY: Wait = { maxMs: 500, rank: "usage" };

/** Counts requests against quotas and rates, and records when each key was last used. */
export function composeLimits({ db, threads, ports, metrics, crew, cluster, readClock }: Base) {
  const { clock, log } = ports;
  const keyUse = createKeyUse();
  const outage = createCommitOutage(clock, log);
  const commit =
    cluster.usage?.commit ??
    createUsageCommits(db, clock, readClock, threads.push.checkpointBeside);
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
    metrics.counted.commits(commitUsage),
    createQuotaNotices(threads.push.queueQuotaMail, log),
  );
  return {
    keyUse,
    usage,
    limits: createLimits(
      createRates(clock, crew?.memory.rates),
      usage,
      createTimeBudgets(clock, crew?.memory.times),
    ),

    /** Why usage cannot be committed at present; null if it can. */
    commitCheck: (): Promise<string | null> =>
      outage.check(
        () => cluster.usage?.commit([], []) ?? inTransaction(db, clock, "usage", rewriteMeta, TRY),
      ),
  };
}
