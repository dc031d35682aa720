import { computeMetrics } from "../../catalog/metrics/compute-metrics.ts";
import { finishPostSearch } from "../../catalog/post-search/catch-up.ts";
import { optimizeSearch } from "../../catalog/search/optimize-search.ts";
import { copyUsage } from "../../customers/limits/copy-usage.ts";
import { copyFromCluster } from "../../db/cluster/cluster-transaction.ts";
import { sharedTables } from "../../db/cluster/shared-tables.ts";
import type { Database } from "../../db/database.ts";
import { inFileTransaction } from "../../db/file-transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/** Usage that a node has a copy of, beside the shared rows. */
const COPIED = ["usage_days", "usage_periods"];

/** Makes an empty copy of a new file: the rows that a new file has are the cluster's too. */
export async function beginCopy(
  db: Database,
  clock: Clock,
  { clusterId, copyId }: { clusterId: string; copyId: string },
): Promise<void> {
  const names = [...sharedTables(db).map(({ name }) => name), ...COPIED];
  await inFileTransaction(
    db,
    clock,
    "begin-copy",
    (tx) => {
      for (const name of names) tx.exec(`DELETE FROM ${name}`);
      tx.prepare("INSERT INTO cluster_copy VALUES (?, 0, '0', 0, ?, NULL)").run(clusterId, copyId);
    },
    { checksReferences: false },
  );
}

/**
 * Copies all there is, and fills what each node has of its own: the search indexes, and the metrics, which
 * its nightly job would compute next night only.
 * @param postSearch whether there is an index of posts
 * @returns the version of the shared rows
 */
export async function copyAll(db: Database, clock: Clock, postSearch: boolean): Promise<number> {
  const version = await copyUsage(db, clock, () => copyFromCluster(db, clock));
  await optimizeSearch(db, clock);
  await finishPostSearch(db, clock, postSearch);
  await computeMetrics(db, clock);
  return version;
}

/** Makes a copy an appliance by itself; the cluster goes on without it. */
export async function endCopy(db: Database, clock: Clock): Promise<void> {
  await inFileTransaction(db, clock, "end-copy", (tx) => tx.exec("DELETE FROM cluster_copy"));
}
