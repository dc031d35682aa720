import { computeMetrics } from "../catalog/metrics/compute-metrics.ts";
import { finishPostSearch } from "../catalog/post-search/catch-up.ts";
import { optimizeSearch } from "../catalog/search/optimize-search.ts";
import type { Database } from "../db/database.ts";
import { inFileTransaction } from "../db/file-transaction.ts";
import type { Clock } from "../ports/clock.ts";
import { copyFromCluster } from "./cluster-transaction.ts";
import { copyUsage } from "./copy-usage.ts";
import { sharedTables } from "./shared-tables.ts";

/** Starts a copy in a new file, which is emptied first: the rows of a new file are the cluster's too. */
export async function beginCopy(
  db: Database,
  clock: Clock,
  { clusterId, copyId }: { clusterId: string; copyId: string },
): Promise<void> {
  await inFileTransaction(
    db,
    clock,
    "begin-copy",
    (tx) => {
      for (const { name } of sharedTables(tx)) tx.exec(`DELETE FROM ${name}`);
      tx.prepare("INSERT INTO cluster_copy VALUES (?, 0, '0', 0, ?, NULL)").run(clusterId, copyId);
    },
    { checksReferences: false },
  );
}

/**
 * Copies everything and builds what each node derives for itself: the search indexes, and the metrics,
 * which the nightly job would not compute before the next night.
 * @param postSearch whether there is a post index
 * @returns version of the shared rows
 */
export async function copyAll(db: Database, clock: Clock, postSearch: boolean): Promise<number> {
  const version = await copyUsage(db, clock, () => copyFromCluster(db, clock));
  await optimizeSearch(db, clock);
  await finishPostSearch(db, clock, postSearch);
  await computeMetrics(db, clock);
  return version;
}

/** Turns a copy into a standalone appliance; the cluster continues without it. */
export async function endCopy(db: Database, clock: Clock): Promise<void> {
  await inFileTransaction(db, clock, "end-copy", (tx) => tx.exec("DELETE FROM cluster_copy"));
}
