import type { Database } from "../db/database.ts";
import { type Derived, type NodeSettings, shareRows } from "../db/shared-rows.ts";
import { createApplyRows } from "./apply-rows.ts";
import { openAuthority } from "./authority.ts";
import { noteChangedRows } from "./changed-rows.ts";
import { copyNewer, inClusterTransaction } from "./cluster-transaction.ts";
import { forgetRemoved } from "./forget-removed.ts";
import { type Cluster, setCluster } from "./link.ts";
import { sharedTables } from "./shared-tables.ts";

/**
 * Makes a connection's file a copy: from now on, PostgreSQL commits what the connection writes.
 * @param purpose what the connection is for, shown in PostgreSQL's own views
 */
export function linkToCluster(
  db: Database,
  { url, node }: NodeSettings,
  purpose: string,
  derived: Derived,
): void {
  const name = `kanalog ${node} ${purpose}`;
  const authority = openAuthority(url, name, db.pragmaValue("user_version") as number);
  db.onClose(() => void authority.close());
  const tables = sharedTables(db);
  const cluster: Cluster = {
    authority,
    changed: noteChangedRows(db, tables),
    apply: createApplyRows(tables, derived),
    postponed: [],
  };
  setCluster(db, cluster);
  shareRows(db, {
    inTransaction: (clock, work, run, wait) =>
      inClusterTransaction(cluster, db, clock, work, run, wait),
    copyNewest: (clock) => copyNewer(db, clock),
    forgetCopied: (clock) => forgetRemoved(db, clock),
  });
}
