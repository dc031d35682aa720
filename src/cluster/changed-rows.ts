import { type Database, statement, type Transaction } from "../db/database.ts";
import type { Column, SharedTable } from "./shared-tables.ts";

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
