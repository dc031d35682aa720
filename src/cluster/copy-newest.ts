import { mergeSearch } from "../catalog/search/search-terms.ts";
import type { Database } from "../db/database.ts";
import { inFileTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
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

export interface Follower {
  /** Called every second and at each notification. Never throws. */
  tick(): Promise<void>;
  /**
   * Copies everything committed so far.
   * @throws AppError `unavailable` if PostgreSQL cannot be reached
   */
  copyNewest(): Promise<void>;
}

/**
 * Copies one at a time; every call gets a copy that began after it.
 * @param copy copies on a thread
 */
export function createFollower(copy: () => Promise<void>, log: Log): Follower {
  /** The failure that was last logged; null after a success. */
  let loggedReason: string | null = null;
  /** A copy that has not begun yet, shared by all calls until it does. */
  let waiting: Promise<void> | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  async function copyNow(): Promise<void> {
    waiting = null;
    await copy();
    if (loggedReason !== null) log.info({}, "the cluster's rows are copied again");
    loggedReason = null;
  }

  function copyNewest(): Promise<void> {
    if (waiting !== null) return waiting;
    waiting = underWay.then(copyNow);
    underWay = waiting.catch(() => {});
    return waiting;
  }

  return {
    copyNewest,

    async tick() {
      try {
        await copyNewest();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== loggedReason)
          log.warn({ err: error }, "the cluster's rows could not be copied");
        loggedReason = reason;
      }
    },
  };
}

/** The reason without numbers such as ports and versions, so that equal reasons compare equal. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const [first = ""] = String(cause).split("\n");
  return first.replaceAll(/\d+/g, "N");
}
