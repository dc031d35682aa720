import { copyUsage } from "../../customers/limits/cluster-usage.ts";
import { copyFromCluster } from "../../db/cluster/cluster-transaction.ts";
import type { Session } from "../../db/cluster/connection.ts";
import { requireCluster, setNewestAt } from "../../db/cluster/link.ts";
import type { Database } from "../../db/database.ts";
import { inFileTransaction } from "../../db/file-transaction.ts";
import type { Clock } from "../../ports/clock.ts";

const NOTE = `
  INSERT INTO kanalog.nodes (name, version, seen_at, program) VALUES ($1, $2, now(), $3)
  ON CONFLICT (name) DO UPDATE
  SET version = excluded.version, seen_at = excluded.seen_at, program = excluded.program`;

/** Who copies, for those who look at the cluster. */
export interface CopyingNode {
  node: string;
  /** Version of its program. */
  program: string;
}

/**
 * Brings the file to the newest shared rows and usage.
 * @throws AppError `unavailable` where PostgreSQL cannot be asked
 */
export async function copyNewest(
  db: Database,
  clock: Clock,
  { node, program }: CopyingNode,
): Promise<void> {
  const now = clock.now();
  const version = await copyFromCluster(db, clock);
  await copyUsage(db, clock);
  // Before it says that it is the newest: a primary that takes no writes any more still answers with rows.
  await noteNode(requireCluster(db).authority.query, node, version, program);
  await inFileTransaction(db, clock, "copy-cluster", (tx) => setNewestAt(tx, now));
}

/** Notes how far a node's copy is. @param program version of its program */
export async function noteNode(
  query: Session["query"],
  node: string,
  version: number,
  program: string,
): Promise<void> {
  await query({ name: "note", text: NOTE, values: [node, version, program] });
}
