import type { Database } from "../db/database.ts";

/** A table whose rows are the same on all nodes of a cluster. */
export interface SharedTable {
  name: string;
  /** Columns that identify a row: the primary key, or `rowid` if there is none. */
  key: readonly Column[];
  /** All stored columns, including those of the key. */
  columns: readonly Column[];
  /** Unique constraints besides the key. */
  unique: readonly (readonly Column[])[];
  /** Whether its key is AUTOINCREMENT: numbers are never reused. */
  isNumbered: boolean;
}

export interface Column {
  name: string;
  isBlob: boolean;
  /** SQL default for rows of an older program that lacks this column; null for NULL. */
  fallback: string | null;
}

/**
 * Tables that each node fills for itself: data derived from shared rows (indexes, metrics, cache versions),
 * its own observations (requests, hours), and its copy of the usage that PostgreSQL counts.
 */
export const OWN_TABLES: ReadonlySet<string> = new Set([
  "accounts_version",
  "alert_changes",
  "cards_version",
  "channel_metrics",
  "channel_search",
  "cluster_copy",
  "hour_durations",
  "hours",
  "last_post_order",
  "leases",
  "metric_orders",
  "metrics_read",
  "post_search_parts",
  "post_search_stale",
  "post_search_stems",
  "post_search_state",
  "request_log",
  "search_trigrams",
  "searched_posts",
  "sqlite_sequence",
  "stale_orders",
  "usage_days",
  "usage_periods",
]);

/** Columns of shared tables that each node fills for itself, from usage. */
const OWN_COLUMNS: Readonly<Record<string, string>> = { keys: "last_used_at" };

/** The shared tables of a file of this program's schema, by name. */
export function sharedTables(db: Database): SharedTable[] {
  const all = db
    .pragma<{ name: string; type: string; schema: string; wr: 0 | 1 }>("table_list")
    .filter(({ name, type, schema }) => {
      return schema === "main" && type === "table" && !name.startsWith("sqlite_");
    });
  return all
    .filter(({ name }) => !OWN_TABLES.has(name))
    .map(({ name, wr }) => describe(db, name, wr === 1))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function describe(db: Database, name: string, isWithoutRowid: boolean): SharedTable {
  const rows = db.pragma<{
    name: string;
    type: string;
    notnull: 0 | 1;
    dflt_value: string | null;
    pk: number;
    hidden: number;
  }>(`table_xinfo(${name})`);
  const columns = rows
    .filter((row) => row.hidden === 0 && row.name !== OWN_COLUMNS[name])
    .map((row) => ({
      column: {
        name: row.name,
        isBlob: row.type === "BLOB",
        fallback: row.notnull === 1 ? row.dflt_value : null,
      },
      pk: row.pk,
    }));
  const ofKey = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  const rowid: Column = { name: "rowid", isBlob: false, fallback: null };
  const key = ofKey.length === 0 ? [rowid] : ofKey.map(({ column }) => column);
  const stored = columns.map(({ column }) => column);
  return {
    name,
    key,
    columns: ofKey.length === 0 ? [rowid, ...stored] : stored,
    unique: uniqueGroups(db, name, stored),
    isNumbered: !isWithoutRowid && /AUTOINCREMENT/.test(textOf(db, name)),
  };
}

function uniqueGroups(db: Database, table: string, columns: readonly Column[]): Column[][] {
  return db
    .pragma<{ name: string; unique: 0 | 1; origin: string }>(`index_list(${table})`)
    .filter(({ unique, origin }) => unique === 1 && origin !== "pk")
    .map(({ name }) =>
      db
        .pragma<{ name: string }>(`index_info(${name})`)
        .map((indexed) => columns.find((column) => column.name === indexed.name) as Column),
    );
}

function textOf(db: Database, table: string): string {
  const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?";
  return db.prepare<{ sql: string }>(sql).get(table)?.sql ?? "";
}
