import { type Column, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Builders, BuildersNow } from "./awaited-session.ts";
import type { Database, Reading, Transaction } from "./database.ts";

/** The end of a builder chain, which can be prepared. */
interface Prepares<Prepared> {
  prepare(): Prepared;
}

/**
 * A query over drizzle's tables, prepared on first use by a connection: `await memberById(db).get({ id })`.
 */
export function query<Prepared>(
  build: (db: Reading) => Prepares<Prepared>,
): (db: Database) => Prepared {
  return oncePerConnection((db: Database) => build(db.builders).prepare());
}

/** As `query`, for a statement that writes in the caller's transaction; it may include a select. */
export function change<Prepared>(
  build: (db: Pick<Builders, "select" | "insert" | "update" | "delete">) => Prepares<Prepared>,
): (tx: Transaction) => Prepared {
  return oncePerConnection((tx: Transaction) => build(tx.builders).prepare());
}

/**
 * As `query`, but its result comes without a promise: for reads in a tick's snapshot, which ends at the
 * next `await`.
 */
export function queryNow<Prepared>(
  build: (db: Pick<BuildersNow, "select">) => Prepares<Prepared>,
): (db: Database) => Prepared {
  return oncePerConnection((db: Database) => build(db.buildersNow).prepare());
}

/** A named parameter, whose value is passed when the statement runs. */
export function param<T>(name: string): T {
  return sql.placeholder(name) as T;
}

/** Parameters for several columns, each named as its column: `values(allParams("at", "person"))`. */
export function allParams<Name extends string>(...names: Name[]): Record<Name, never> {
  return Object.fromEntries(names.map((name) => [name, param(name)])) as Record<Name, never>;
}

/** Whether a column equals the parameter of this name. */
export function eqParam(column: Column, name: string): SQL {
  return eq(column, param(name));
}

/**
 * Whether a row is one of at most `rowsMax` that meet a condition, for statements that change some rows at a
 * time.
 * @param key the table's primary key
 */
export function withinLimit(
  db: Pick<Reading, "select">,
  key: SQLiteColumn,
  condition: SQL | undefined,
  rowsMax: number,
): SQL {
  const table = key.table as SQLiteTable;
  return inArray(key, db.select({ key }).from(table).where(condition).limit(rowsMax));
}

function oncePerConnection<Connection extends Database, Prepared>(
  prepare: (db: Connection) => Prepared,
): (db: Connection) => Prepared {
  const prepared = new WeakMap<Connection, Prepared>();
  return (db) => {
    const known = prepared.get(db);
    if (known !== undefined) return known;
    const made = prepare(db);
    prepared.set(db, made);
    return made;
  };
}
