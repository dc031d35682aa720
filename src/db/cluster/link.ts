import { type Database, statement, type Transaction } from "../database.ts";
import { createApplyRows, type Derived } from "./apply-rows.ts";
import { type Authority, openAuthority } from "./authority.ts";
import { type ChangedRows, noteChangedRows, type RowImage } from "./changed-rows.ts";
import { sharedTables } from "./shared-tables.ts";

/** A connection to a copy of the cluster's rows, together with their source. */
export interface Cluster {
  authority: Authority;
  changed: ChangedRows;
  apply(tx: Transaction, rows: readonly RowImage[]): void;
  /** Steps of the start that were postponed because PostgreSQL was unreachable. */
  postponed: (() => Promise<void>)[];
}

const clusters = new WeakMap<Database, Cluster>();

/** The cluster whose copy a connection writes to; null for a standalone appliance. */
export function clusterOf(db: Database): Cluster | null {
  return clusters.get(db) ?? null;
}

/** @throws Error if the file is a standalone appliance */
export function requireCluster(db: Database): Cluster {
  const cluster = clusterOf(db);
  if (cluster === null) throw new Error("the connection belongs to no cluster");
  return cluster;
}

/** A node's settings. Plain data, because they are sent to threads. */
export interface NodeSettings {
  /** URL of PostgreSQL. */
  url: string;
  /** Name of the node. */
  node: string;
}

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
    postponed: [],
  });
}

/** A position in the history of a cluster's commits. */
export interface Place {
  version: number;
  /**
   * Random text that distinguishes the commit from another with the same version; null for versions that are
   * only part of a copy that is being made.
   */
  mark: string | null;
}

/** A copy of a cluster's rows, at the position of its newest one. */
export interface Copy extends Place {
  /** The cluster's id. */
  id: string;
  /** Id of the file, which tells two nodes of one name apart. */
  copyId: string;
}

/** Describes the copy in a file; undefined for a standalone appliance. */
export function findCopy(db: Database): Copy | undefined {
  return statement<Copy>(db, "SELECT id, version, mark, copy_id AS copyId FROM cluster_copy").get();
}

/**
 * Whether a copy's commits belong to a cluster's history.
 * @param known the cluster's newest version, and the mark of its commit at the copy's version
 */
export function isOfHistory(copy: Place, known: { head: number; mark: string | null }): boolean {
  return copy.version <= known.head && copy.mark === known.mark;
}

/** A node is refused if its clock differs from PostgreSQL's by as much. */
export const CLOCK_OFF_MS = 60_000;

/** How much the clocks of the processes that write a file's rows may differ: nodes have one clock each. */
export function clocksApartMs(db: Database): number {
  return findCopy(db) === undefined ? 0 : 2 * CLOCK_OFF_MS;
}

/** @throws Error if the file is a standalone appliance */
export function requireCopy(db: Database): Copy {
  const copy = findCopy(db);
  if (copy === undefined) throw new Error("the file is not a copy of a cluster");
  return copy;
}

/** Version of the shared rows in the file. */
export function copiedVersion(db: Database): number {
  return requireCopy(db).version;
}

export function setPlace(tx: Transaction, { version, mark }: Place): void {
  statement(tx, "UPDATE cluster_copy SET version = ?, mark = ?").run(version, mark);
}

/** When the copy was last known to be up to date, in epoch milliseconds. */
export function copyNewestAt(db: Database): number {
  const sql = "SELECT newest_at AS at FROM cluster_copy";
  return statement<{ at: number }>(db, sql).get()?.at ?? 0;
}

export function setNewestAt(tx: Transaction, at: number): void {
  statement(tx, "UPDATE cluster_copy SET newest_at = ?").run(at);
}
