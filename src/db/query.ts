import { type Column, eq, type SQL, sql } from "drizzle-orm";
import type { Builders, BuildersNow } from "./awaited-session.ts";
import type { Database, Reading, Transaction } from "./database.ts";

/** A builder's end: from it the statement is prepared, once for each connection. */
interface Prepares<Prepared> {
  prepare(): Prepared;
}

/**
 * A query over drizzle's tables, prepared when a connection first asks it:
 * `await memberById(db).get({ id })`.
 */
export function query<Prepared>(
  build: (db: Reading) => Prepares<Prepared>,
): (db: Database) => Prepared {
  return oncePerConnection((db: Database) => build(db.builders).prepare());
}

/** The same for a statement that writes, in the caller's transaction; a select may be a part of it. */
export function change<Prepared>(
  build: (db: Pick<Builders, "select" | "insert" | "update" | "delete">) => Prepares<Prepared>,
): (tx: Transaction) => Prepared {
  return oncePerConnection((tx: Transaction) => build(tx.builders).prepare());
}

/**
 * A query that answers without being awaited, for what requests read in the snapshot of a tick, which
 * ends at the next wait.
 */
export function queryNow<Prepared>(
  build: (db: Pick<BuildersNow, "select">) => Prepares<Prepared>,
): (db: Database) => Prepared {
  return oncePerConnection((db: Database) => build(db.buildersNow).prepare());
}

/** Stands for a value that is given when the statement is run. */
export function given<T>(name: string): T {
  return sql.placeholder(name) as T;
}

/** The same for several columns, each by its own name: `values(allGiven("at", "person"))`. */
export function allGiven<Name extends string>(...names: Name[]): Record<Name, never> {
  return Object.fromEntries(names.map((name) => [name, given(name)])) as Record<Name, never>;
}

/** Whether a column has the value that is given by this name when the statement is run. */
export function eqGiven(column: Column, name: string): SQL {
  return eq(column, given(name));
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
