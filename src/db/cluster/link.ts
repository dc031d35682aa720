import type { Database, Transaction } from "../database.ts";
import { statement } from "../database.ts";
import { createApplyRows, type Derived } from "./apply-rows.ts";
import { type Authority, openAuthority } from "./authority.ts";
import { type ChangedRows, noteChangedRows, type RowImage } from "./changed-rows.ts";
import { sharedTables } from "./shared-tables.ts";

/** A connection to the copy of a cluster's rows, with the place where the rows themselves are. */
export interface Cluster {
  authority: Authority;
  changed: ChangedRows;
  apply(tx: Transaction, rows: readonly RowImage[]): void;
  /** Work of the start that PostgreSQL was away for, to be done once it is back. */
  left: (() => Promise<void>)[];
}

const clusters = new WeakMap<Database, Cluster>();

/** The cluster whose copy a connection writes; null for a file that is an appliance by itself. */
export function clusterOf(db: Database): Cluster | null {
  return clusters.get(db) ?? null;
}

/** @throws Error where the connection's file is an appliance by itself */
export function requireCluster(db: Database): Cluster {
  const cluster = clusterOf(db);
  if (cluster === null) throw new Error("the connection belongs to no cluster");
  return cluster;
}

/** Settings of a node. Plain data, since threads are sent them. */
export interface NodeSettings {
  /** Of PostgreSQL. */
  url: string;
  /** The node's name. */
  node: string;
}

/**
 * Makes the file of a connection a copy: what the connection writes is committed by PostgreSQL from now on.
 * @param purpose of the connection, for those who look at PostgreSQL's
 */
export function linkToCluster(
  db: Database,
  { url, node }: NodeSettings,
  purpose: string,
  derived: Derived,
): void {
  const authority = openAuthority(
    url,
    `kanalog ${node} ${purpose}`,
    db.pragmaValue("user_version") as number,
  );
  db.onClose(() => void authority.close());
  const tables = sharedTables(db);
  clusters.set(db, {
    authority,
    changed: noteChangedRows(db, tables),
    apply: createApplyRows(tables, derived),
    left: [],
  });
}

/** A place in the history of a cluster's commits. */
export interface Place {
  version: number;
  /** A random text that tells the commit from others of its version; null where none was given. */
  mark: string | null;
}

/** Its place is that of its newest shared rows. */
export interface Copy extends Place {
  /** Of the cluster. */
  id: string;
  /** Number of the file, by which two nodes of one name are told apart. */
  copyId: string;
}

/** Whose copy a file is; undefined where it is an appliance by itself. */
export function findCopy(db: Database): Copy | undefined {
  return statement<Copy>(db, "SELECT id, version, mark, copy_id AS copyId FROM cluster_copy").get();
}

/**
 * Whether a copy's commits are those of a cluster.
 * @param known the cluster's newest version, and the mark of its commit at the copy's version
 */
export function isOfHistory(copy: Place, known: { head: number; mark: string | null }): boolean {
  return copy.version <= known.head && (copy.mark === null || copy.mark === known.mark);
}

/** @throws Error where the file is an appliance by itself */
export function requireCopy(db: Database): Copy {
  const copy = findCopy(db);
  if (copy === undefined) throw new Error("the file is no copy of a cluster");
  return copy;
}

/** The version of the shared rows in the file. */
export function copiedVersion(db: Database): number {
  return requireCopy(db).version;
}

export function setPlace(tx: Transaction, { version, mark }: Place): void {
  statement(tx, "UPDATE cluster_copy SET version = ?, mark = ?").run(version, mark);
}

/** Gives the mark of its commit to a copy of a former program's, by which another history is known from now on. */
export function giveMark(tx: Transaction, { version, mark }: Place): void {
  const sql = "UPDATE cluster_copy SET mark = ? WHERE version = ? AND mark IS NULL";
  statement(tx, sql).run(mark, version);
}

/** When the copy was last known to be the newest, in epoch milliseconds. */
export function copyNewestAt(db: Database): number {
  const sql = "SELECT newest_at AS at FROM cluster_copy";
  return statement<{ at: number }>(db, sql).get()?.at ?? 0;
}

export function setNewestAt(tx: Transaction, at: number): void {
  statement(tx, "UPDATE cluster_copy SET newest_at = ?").run(at);
}
