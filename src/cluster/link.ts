import { type Database, statement, type Transaction } from "../db/database.ts";
import { type Copy, findCopy, type Place } from "../db/shared-rows.ts";
import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type Connection, openConnection, type Session } from "./connection.ts";
import { COMMITS_CHANNEL } from "./notices.ts";
import type { ChangedRows, RowImage } from "./shared-tables.ts";

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

/** The shared rows changed after a version. */
interface Changes {
  rows: RowImage[];
  /** Position of a copy once it has these rows. */
  until: Place;
  /** The newest version. */
  head: number;
  /** Mark of the version that the changes follow. */
  mark: string | null;
}

/** The right to change shared rows, held by one process of all nodes at a time. */
export interface Turn {
  head: Place;
  changesAfter(version: number, rowsMax: number): Promise<Changes>;
  /** @returns the position of the commit */
  commit(rows: readonly RowImage[]): Promise<Place>;
}

/**
 * The source of truth for all nodes: the shared rows in PostgreSQL, each with the version of the commit
 * that last changed it.
 */
export interface Authority {
  /**
   * Runs work in a turn, which ends when the work commits or returns.
   * @throws AppError `unavailable`
   */
  inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T>;
  /** @param rowsMax approximate limit; versions are never split */
  changesAfter(version: number, rowsMax: number): Promise<Changes>;
  /** Runs work with exclusive use of the connection, without a turn. */
  use: Connection["use"];
  query: Session["query"];
  close(): Promise<void>;
}

/**
 * Reads the version only after the lock is held: a single statement that waited for the lock would not see
 * what was committed during its wait.
 */
const BEGIN = `
  BEGIN;
  SELECT 1 FROM kanalog.state FOR UPDATE;
  SELECT s.version::text, s.schema_version, c.mark::text
  FROM kanalog.state s LEFT JOIN kanalog.commits c USING (version)`;

const PUT = `
  INSERT INTO kanalog.rows ("table", key, version, row)
  SELECT given ->> 0, given ->> 1, $1::bigint, given ->> 2
  FROM json_array_elements($2::text::json) given
  ON CONFLICT ("table", key) DO UPDATE SET version = excluded.version, row = excluded.row`;

/** The notification wakes the other nodes; one that misses it polls every second. */
const COMMIT = `
  UPDATE kanalog.state SET version = version + 1;
  INSERT INTO kanalog.commits SELECT version FROM kanalog.state RETURNING version::text, mark::text;
  NOTIFY ${COMMITS_CHANNEL};
  COMMIT`;

/** An additional row, without a table, carries the copy's new position. */
const CHANGES = `
  WITH next AS (
    SELECT version FROM kanalog.rows WHERE version > $1 ORDER BY version LIMIT $2
  ), until AS (
    SELECT s.version AS head,
      CASE WHEN count(n.version) < $2 THEN s.version ELSE max(n.version) END AS version
    FROM kanalog.state s LEFT JOIN next n ON true GROUP BY s.version
  )
  SELECT NULL AS "table", NULL AS key, NULL AS row, u.head::text AS head, u.version::text AS version,
    own.mark::text AS "ownMark", newest.mark::text AS mark
  FROM until u
    LEFT JOIN kanalog.commits own ON own.version = $1
    LEFT JOIN kanalog.commits newest ON newest.version = u.version
  UNION ALL
  SELECT "table", key, row, NULL, NULL, NULL, NULL FROM kanalog.rows
  WHERE version > $1 AND version <= (SELECT version FROM until)`;

/** @param schemaVersion schema of the file that holds the copy */
export function openAuthority(url: string, name: string, schemaVersion: number): Authority {
  const connection = openConnection(url, name);
  return {
    inTurn: (work) =>
      connection.use(async (session) => {
        const [begun] = await session.query<StoredPlace & { schema_version: number }>(BEGIN);
        let isOver = false;
        try {
          requireSchema(begun?.schema_version ?? 0, schemaVersion);
          return await work({
            head: placeOf(begun),
            changesAfter: (version, rowsMax) => readChanges(session, version, rowsMax),
            async commit(rows) {
              const json = JSON.stringify(rows.map(({ table, key, row }) => [table, key, row]));
              const version = Number(begun?.version) + 1;
              await session.query({ name: "put", text: PUT, values: [version, json] });
              const [committed] = await session.query<StoredPlace>(COMMIT);
              isOver = true;
              return placeOf(committed);
            },
          });
        } finally {
          // If the connection is lost, PostgreSQL rolls back by itself.
          if (!isOver) await session.query("ROLLBACK").catch(() => {});
        }
      }),

    changesAfter: (version, rowsMax) =>
      connection.use((session) => readChanges(session, version, rowsMax)),
    use: connection.use,
    query: (statement) => connection.use((session) => session.query(statement)),
    close: connection.close,
  };
}

/** Refuses a node of an older program, which would write rows that lack the newer columns. */
function requireSchema(version: number, own: number): void {
  if (version <= own) return;
  const reason = `the cluster has schema ${version}, and this node's program ${own}`;
  throw storageUnavailable(new Error(reason));
}

async function readChanges(session: Session, version: number, rowsMax: number): Promise<Changes> {
  const answered = await session.query<
    RowImage & StoredPlace & { head: string; ownMark: string | null }
  >({ name: "changes", text: CHANGES, values: [version, rowsMax] });
  const at = answered.find(({ table }) => table === null);
  return {
    rows: answered.filter(({ table }) => table !== null),
    until: placeOf(at),
    head: Number(at?.head),
    mark: at?.ownMark ?? null,
  };
}

interface StoredPlace {
  version: string;
  mark: string | null;
}

function placeOf(stored: StoredPlace | undefined): Place {
  return { version: Number(stored?.version), mark: stored?.mark ?? null };
}
