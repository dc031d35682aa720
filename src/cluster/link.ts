import { type Database, statement, type Transaction } from "../db/database.ts";
import { type Copy, findCopy, type Place } from "../db/shared-rows.ts";
import type { Clock } from "../ports/clock.ts";
import type { Authority } from "./authority.ts";
import type { ChangedRows, RowImage } from "./changed-rows.ts";

/** A connection to a copy of the cluster's rows, together with their source. */
export interface Cluster {
  authority: Authority;
  changed: ChangedRows;
  apply(tx: Transaction, rows: readonly RowImage[]): void;
  /** Steps of the start that were postponed because PostgreSQL was unreachable. */
  postponed: (() => Promise<void>)[];
}

const clusters = new WeakMap<Database, Cluster>();

export function setCluster(db: Database, cluster: Cluster): void {
  clusters.set(db, cluster);
}

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

/**
 * Whether a copy's commits belong to a cluster's history.
 * @param known the cluster's newest version, and the mark of its commit at the copy's version
 */
export function isOfHistory(copy: Place, known: { head: number; mark: string | null }): boolean {
  return copy.version <= known.head && copy.mark === known.mark;
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

const POLL_MS = 200;
/** A node silent for this long is not waited for. */
const SILENT_S = 30;

const BEHIND = `
  SELECT name, seen_at > now() - make_interval(secs => ${SILENT_S}) AS runs
  FROM kanalog.nodes WHERE version < $1 ORDER BY name`;

/**
 * Settles once all running nodes have what this one has; immediately on a standalone appliance.
 * @returns nodes that were not waited for because they are silent: they catch up when they run again
 */
export async function waitForCopies(db: Database, clock: Clock): Promise<string[]> {
  const cluster = clusterOf(db);
  if (cluster === null) return [];
  const values = [copiedVersion(db)];
  for (;;) {
    const behind = await cluster.authority.query<{ name: string; runs: boolean }>({
      text: BEHIND,
      values,
    });
    if (!behind.some(({ runs }) => runs)) return behind.map(({ name }) => name);
    await clock.sleep(POLL_MS);
  }
}
