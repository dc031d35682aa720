import { type Database, statement, type Transaction } from "../db/database.ts";

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
  "channel_changes",
  "channel_metrics",
  "channel_search",
  "cluster_copy",
  "hour_durations",
  "hours",
  "leases",
  "metrics_read",
  "post_search_parts",
  "post_search_stale",
  "post_search_stems",
  "post_search_state",
  "request_log",
  "search_trigrams",
  "searched_posts",
  "sqlite_sequence",
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

/** A row in the form in which it is stored in PostgreSQL and sent. */
export interface RowImage {
  table: string;
  /** Values of its key, as a JSON array; blobs are in hexadecimal. */
  key: string;
  /** All its columns, as a JSON object; null if the row was deleted. */
  row: string | null;
}

/** Counters of AUTOINCREMENT tables are sent as rows of this table, so that no node reuses a number. */
export const SEQUENCES = "sqlite_sequence";

/**
 * Records which shared rows a connection's transactions change: temporary triggers, which are in no file,
 * write the keys into tables in memory. This covers every statement, whoever wrote it, including the
 * effects of the schema's own triggers and foreign keys.
 */
export function noteChangedRows(db: Database, tables: readonly SharedTable[]): ChangedRows {
  for (const table of tables) {
    const keys = table.key.map((_, at) => `k${at}`).join(", ");
    db.exec(`CREATE TEMP TABLE ${notes(table)} (${keys})`);
    const of = (which: string) => table.key.map(({ name }) => `${which}.${name}`).join(", ");
    const stored = table.columns.filter(({ name }) => name !== "rowid").map(({ name }) => name);
    const bodies = [
      ["INSERT", `SELECT ${of("new")}`],
      [`UPDATE OF ${stored.join(", ")}`, `SELECT ${of("old")} UNION SELECT ${of("new")}`],
      ["DELETE", `SELECT ${of("old")}`],
    ];
    for (const [at, [verb, body]] of bodies.entries()) {
      db.exec(
        `CREATE TEMP TRIGGER ${notes(table)}_${at} AFTER ${verb} ON main.${table.name}
         BEGIN INSERT INTO ${notes(table)} (${keys}) ${body}; END`,
      );
    }
  }
  return {
    take(tx) {
      const taken: RowImage[] = [];
      for (const table of tables) {
        if (!isChanged(tx, table)) continue;
        taken.push(...statement<RowImage>(tx, imagesSql(table)).all());
        if (table.isNumbered) taken.push(...statement<RowImage>(tx, SEQUENCE).all(table.name));
        statement(tx, `DELETE FROM temp.${notes(table)}`).run();
      }
      return taken;
    },

    forget(tx) {
      for (const table of tables) {
        if (isChanged(tx, table)) statement(tx, `DELETE FROM temp.${notes(table)}`).run();
      }
    },

    isEmpty: (tx) => !tables.some((table) => isChanged(tx, table)),
  };
}

export interface ChangedRows {
  /** The rows changed since the last call, in their present state. */
  take(tx: Transaction): RowImage[];
  /** Drops what was recorded: the changes came from PostgreSQL and need not be sent back. */
  forget(tx: Transaction): void;
  isEmpty(tx: Transaction): boolean;
}

const SEQUENCE = `
  SELECT '${SEQUENCES}' AS "table", json_array(name) AS key,
    json_object('name', name, 'seq', seq) AS row
  FROM sqlite_sequence WHERE name = ?`;

function isChanged(tx: Transaction, table: SharedTable): boolean {
  return statement(tx, `SELECT 1 FROM temp.${notes(table)} LIMIT 1`).get() !== undefined;
}

function notes({ name }: SharedTable): string {
  return `changed_${name}`;
}

/** SQL: a table's recorded rows, as `RowImage`. */
export function imagesSql(table: SharedTable): string {
  const [first] = table.key;
  const same = table.key.map(({ name }, at) => `t.${name} = n.k${at}`).join(" AND ");
  const key = table.key.map(({ isBlob }, at) => asJson(`n.k${at}`, isBlob));
  return `
    SELECT '${table.name}' AS "table", json_array(${key.join(", ")}) AS key,
      CASE WHEN t.${first?.name} IS NULL THEN NULL ELSE ${imageOf("t", table.columns)} END AS row
    FROM (SELECT DISTINCT * FROM temp.${notes(table)}) n
      LEFT JOIN main.${table.name} t ON ${same}`;
}

/** SQL: a value in a form that JSON can hold. An empty blob stays distinct from null. */
function asJson(value: string, isBlob: boolean): string {
  return isBlob ? `iif(${value} IS NULL, NULL, hex(${value}))` : value;
}

/** SQL: a value out of JSON, as `asJson` wrote it there. */
export function fromJson(value: string, isBlob: boolean): string {
  return isBlob ? `unhex(${value})` : `(${value})`;
}

/** SQL: the columns of a row as a JSON object. */
function imageOf(alias: string, columns: readonly Column[]): string {
  const values = columns.map(
    ({ name, isBlob }) => `'${name}', ${asJson(`${alias}.${name}`, isBlob)}`,
  );
  return `json_object(${values.join(", ")})`;
}

/** SQL: all rows of a table, as `RowImage`. */
export function allImagesSql(table: SharedTable): string {
  const key = table.key.map(({ name, isBlob }) => asJson(`t.${name}`, isBlob));
  return `
    SELECT '${table.name}' AS "table", json_array(${key.join(", ")}) AS key,
      ${imageOf("t", table.columns)} AS row
    FROM main.${table.name} t`;
}
