import { USAGE_DAYS_KEPT } from "../customers/limits/usage.store.ts";
import { type Database, statement, type Transaction } from "../db/database.ts";
import { type Derived, type NodeSettings, shareRows } from "../db/shared-rows.ts";
import type { Clock } from "../ports/clock.ts";
import { daySql } from "./cluster-schema.ts";
import { copyNewer, inClusterTransaction } from "./cluster-transaction.ts";
import { type Cluster, openAuthority, requireCluster, setCluster } from "./link.ts";
import type { Column, RowImage, SharedTable } from "./shared-tables.ts";
import { fromJson, noteChangedRows, SEQUENCES, sharedTables } from "./shared-tables.ts";

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

/** Queues filled by the schema's triggers on `posts`; in a cluster their rows arrive like any others. */
const FILLED_BY_TRIGGERS = ["read_posts", "alert_posts"];
/** The table whose triggers fill these queues; its rows are written before theirs. */
const POSTS = "posts";

/**
 * Writes other nodes' rows into the file, in a transaction that does not enforce foreign keys: the rows of
 * a commit arrive together but in any order.
 */
function createApplyRows(tables: readonly SharedTable[], derived: Derived) {
  const byName = new Map(tables.map((table) => [table.name, table]));

  return (tx: Transaction, rows: readonly RowImage[]): void => {
    const byTable = Map.groupBy(rows, ({ table }) => table);
    const posts = byTable.get(POSTS) ?? [];
    const finish = derived.begin(tx, {
      channels: idsOf([
        ...(byTable.get("channels") ?? []),
        ...(byTable.get("channel_texts") ?? []),
      ]),
      posts: idsOf(posts),
    });
    // Computed first: writing rows raises the counters, which must stay equal on all nodes.
    const numbered = (byTable.get(SEQUENCES) ?? []).map(({ row }) => {
      const { name, seq } = JSON.parse(row as string) as { name: string; seq: number };
      return { name, sequence: Math.max(seq, sequenceOf(tx, name)) };
    });
    if (posts.length > 0) {
      const before = FILLED_BY_TRIGGERS.map((name) => [name, sequenceOf(tx, name)] as const);
      write(tx, POSTS, posts);
      for (const [name, sequence] of before) {
        statement(tx, `DELETE FROM ${name} WHERE sequence > ?`).run(sequence);
        setSequence(tx, name, sequence);
      }
    }
    for (const [name, some] of byTable) {
      if (name !== POSTS && name !== SEQUENCES) write(tx, name, some);
    }
    for (const { name, sequence } of numbered) setSequence(tx, name, sequence);
    finish();
  };

  function write(tx: Transaction, name: string, rows: readonly RowImage[]): void {
    const table = byName.get(name);
    // A table of a newer program, which this one does not read.
    if (table === undefined) return;
    const keys = rows.flatMap(({ key, row }) => (row === null ? key : []));
    if (keys.length > 0) statement(tx, removeSql(table)).run(`[${keys.join(",")}]`);
    const images = rows.flatMap(({ row }) => row ?? []);
    if (images.length === 0) return;
    const json = `[${images.join(",")}]`;
    for (const group of table.unique) statement(tx, makeWaySql(table, group)).run(json);
    statement(tx, writeSql(table)).run(json);
  }
}

function idsOf(rows: readonly RowImage[]): number[] {
  return [...new Set(rows.map(({ key }) => (JSON.parse(key) as [number])[0]))];
}

function sequenceOf(tx: Transaction, name: string): number {
  const sql = "SELECT seq FROM sqlite_sequence WHERE name = ?";
  return statement<{ seq: number }>(tx, sql).get(name)?.seq ?? 0;
}

function setSequence(tx: Transaction, name: string, sequence: number): void {
  const { changes } = statement(tx, "UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(
    sequence,
    name,
  );
  if (changes > 0 || sequence === 0) return;
  statement(tx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, sequence);
}

/** SQL: deletes the rows with the keys of a JSON array of `RowImage.key`. */
export function removeSql({ name, key }: SharedTable): string {
  const columns = key.map((column) => column.name).join(", ");
  const values = key.map(({ isBlob }, at) => fromJson(`k.value ->> ${at}`, isBlob)).join(", ");
  return `DELETE FROM ${name} WHERE (${columns}) IN (SELECT ${values} FROM json_each(?) k)`;
}

/**
 * SQL: makes way where two rows swap a unique value. The row that is in the way is deleted, and written
 * again with the others.
 */
export function makeWaySql({ name, key }: SharedTable, group: readonly Column[]): string {
  const same = group.map((column) => `t.${column.name} = ${valueFromJson(column)}`).join(" AND ");
  const other = key.map((column) => `t.${column.name} = ${valueFromJson(column)}`).join(" AND ");
  const row = key.map((column) => `t.${column.name}`).join(", ");
  const columns = key.map((column) => column.name).join(", ");
  return `
    DELETE FROM ${name} WHERE (${columns}) IN (
      SELECT ${row} FROM json_each(?) r JOIN ${name} t ON ${same} WHERE NOT (${other}))`;
}

/** SQL: inserts or updates the rows of a JSON array of `RowImage.row`. */
export function writeSql({ name, key, columns }: SharedTable): string {
  const names = columns.map((column) => column.name);
  const rest = names.filter((column) => !key.some((one) => one.name === column));
  const change =
    rest.length === 0
      ? "NOTHING"
      : `UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(", ")}`;
  // A table without a primary key has only its rowid, which cannot be a conflict target.
  const isKeyless = key.length === 1 && key[0]?.name === "rowid";
  return `
    INSERT ${isKeyless ? "OR REPLACE " : ""}INTO ${name} (${names.join(", ")})
    SELECT ${columns.map(valueFromJson).join(", ")} FROM json_each(?) r WHERE true
    ${isKeyless ? "" : `ON CONFLICT (${key.map((one) => one.name).join(", ")}) DO ${change}`}`;
}

/** SQL: a column's value in row `r` of `json_each(…)`. */
function valueFromJson({ name, isBlob, fallback }: Column): string {
  const value = fromJson(`r.value ->> '${name}'`, isBlob);
  return fallback === null ? value : `ifnull(${value}, ${fallback})`;
}

/** A node absent for longer must rebuild its copy. */
const ABSENT_DAYS_MAX = 7;

/** One statement, and so one snapshot: no deletion is forgotten that the copy of a node may still need. */
const FORGET = `
  WITH oldest AS (
    SELECT min(version) AS version FROM kanalog.nodes
    WHERE seen_at > now() - interval '${ABSENT_DAYS_MAX} days'
  ), forgotten AS (
    DELETE FROM kanalog.rows WHERE row IS NULL AND version <= (SELECT version FROM oldest)
  ), passed AS (
    DELETE FROM kanalog.commits WHERE version < (SELECT version FROM oldest)
  ), absent AS (
    DELETE FROM kanalog.nodes WHERE seen_at <= now() - interval '${ABSENT_DAYS_MAX} days'
  )
  UPDATE kanalog.state SET forgotten_until = greatest(forgotten_until, oldest.version) FROM oldest
  WHERE oldest.version IS NOT NULL`;

/**
 * Deletes PostgreSQL's records of deleted rows and of commits that all nodes have copied, and its days of
 * usage that are no longer kept.
 */
export async function forgetRemoved(db: Database, clock: Clock): Promise<void> {
  const { query } = requireCluster(db).authority;
  await query(FORGET);
  const today = daySql("kanalog.clock($1::bigint)");
  const text = `DELETE FROM kanalog.usage_days WHERE day <= ${today} - ${USAGE_DAYS_KEPT}`;
  await query({ text, values: [Math.round(clock.now())] });
}
