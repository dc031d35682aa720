import { mergeSearch } from "../catalog/search/optimize-search.ts";
import type { Database } from "../db/database.ts";
import { inFileTransaction } from "../db/file-transaction.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";
import { copyFromCluster } from "./cluster-transaction.ts";
import type { Session } from "./connection.ts";
import { copyUsage } from "./copy-usage.ts";
import { requireCluster, requireCopy, setNewestAt } from "./link.ts";

/** A node silent for this long is gone, and its name is free. */
export const NAME_TAKEN_S = 10;

const NOTE = `
  INSERT INTO kanalog.nodes AS n (name, copy_id, version, seen_at, program)
  VALUES ($1, $2, $3, now(), $4)
  ON CONFLICT (name) DO UPDATE
  SET copy_id = excluded.copy_id, version = excluded.version, seen_at = excluded.seen_at,
    program = excluded.program
  WHERE n.copy_id = excluded.copy_id OR $5
    OR n.seen_at < now() - make_interval(secs => ${NAME_TAKEN_S})
  RETURNING 1`;

/** The copying node, as shown to those who inspect the cluster. */
export interface CopyingNode {
  node: string;
  /** Version of its program, or what it is doing. */
  program: string;
}

/**
 * Copies the newest shared rows and usage into the file.
 * @throws AppError `unavailable` if PostgreSQL cannot be reached, `conflict` as `noteNode`
 */
export async function copyNewest(db: Database, clock: Clock, node: CopyingNode): Promise<void> {
  const now = clock.now();
  const { copyId, version: before } = requireCopy(db);
  const version = await copyUsage(db, clock, () => copyFromCluster(db, clock));
  // Every copy adds a segment to the search index, as every transaction of an import does.
  if (version > before) await mergeSearch(db, clock);
  // Before the copy is declared up to date: a primary that has become read-only still returns rows.
  await noteNode(requireCluster(db).authority.query, { ...node, copyId, version });
  await inFileTransaction(db, clock, "copy-cluster", (tx) => setNewestAt(tx, now));
}

/**
 * Records how far a node's copy has come.
 * @param takesOver whether this file replaces the node's previous one
 * @throws AppError `conflict` if another running node has the same name
 */
export async function noteNode(
  query: Session["query"],
  { node, program, copyId, version }: CopyingNode & { copyId: string; version: number },
  takesOver = false,
): Promise<void> {
  const values = [node, copyId, version, program, takesOver];
  const noted = await query({ name: "note", text: NOTE, values });
  if (noted.length === 0) throw new AppError("conflict", message("nodeNameTaken", { node }));
}

/** Removes a node's record, so that nothing waits for its copy any more. */
export async function forgetNode(query: Session["query"], node: string): Promise<void> {
  await query({ text: "DELETE FROM kanalog.nodes WHERE name = $1", values: [node] });
}
