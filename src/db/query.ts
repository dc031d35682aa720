import type { RunResult } from "better-sqlite3";
import { inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Builders, Database, Reading, Transaction } from "./database.ts";

type Values = Record<string, unknown>;

/** A statement as drizzle prepares it. */
interface Prepared {
  get(values?: Values): unknown;
  all(values?: Values): unknown;
  run(values?: Values): unknown;
}

/** The end of a builder chain, which can be prepared. */
interface Prepares<P extends Prepared> {
  prepare(): P;
}

type RowOf<P extends Prepared> = ReturnType<P["all"]> extends (infer Row)[] ? Row : never;

/** The only column of a statement's rows. */
type ValueOf<P extends Prepared> = RowOf<P>[keyof RowOf<P>];

/** What a statement is run with: nothing if it takes no values. */
type Rest<Given> = unknown extends Given ? [] : [given: Readonly<Given>];

/**
 * The ways to run a statement over drizzle's tables, which each connection prepares on its first use. A
 * store exports the way that it means: `export const selectMember = query(…).one`.
 */
interface Ways<Connection, Given, P extends Prepared> {
  /** The first row; undefined if there is none. */
  one(db: Connection, ...rest: Rest<Given>): ReturnType<P["get"]>;
  all(db: Connection, ...rest: Rest<Given>): ReturnType<P["all"]>;
  /** The first row's only column; null if there is no row. */
  value(db: Connection, ...rest: Rest<Given>): ValueOf<P> | null;
  /** Every row's only column. */
  values(db: Connection, ...rest: Rest<Given>): ValueOf<P>[];
  /** The only column of a row that there always is, such as a count. */
  count(db: Connection, ...rest: Rest<Given>): number;
  /** Whether there is a row. */
  any(db: Connection, ...rest: Rest<Given>): boolean;
  run(db: Connection, ...rest: Rest<Given>): void;
  /** Runs it. @returns how many rows were written */
  written(db: Connection, ...rest: Rest<Given>): number;
  /** Runs it. @returns whether any row was written */
  wrote(db: Connection, ...rest: Rest<Given>): boolean;
}

/** Stands for the values that a statement will be given: each name becomes a parameter. */
function parameters<Given>(): Given {
  return new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) }) as Given;
}

function waysOf<Connection extends Database, Given, P extends Prepared>(
  prepare: (db: Connection) => P,
): Ways<Connection, Given, P> {
  const prepared = oncePerConnection(prepare);
  const get = (db: Connection, given?: Values): unknown => prepared(db).get(given);
  const all = (db: Connection, given?: Values): unknown => prepared(db).all(given);
  const value = (db: Connection, given?: Values): unknown => firstColumn(get(db, given));
  const written = (db: Connection, given?: Values): number =>
    (prepared(db).run(given) as RunResult).changes;
  const ways = {
    one: get,
    all,
    value,
    values: (db: Connection, given?: Values) => (all(db, given) as unknown[]).map(firstColumn),
    count: value,
    any: (db: Connection, given?: Values) => get(db, given) !== undefined,
    run: written,
    written,
    wrote: (db: Connection, given?: Values) => written(db, given) > 0,
  };
  return ways as unknown as Ways<Connection, Given, P>;
}

function firstColumn(row: unknown): unknown {
  return row === undefined ? null : Object.values(row as object)[0];
}

/** A query: `query((db, { id }: { id: number }) => db.select()…).one`. */
export function query<P extends Prepared, Given>(
  build: (db: Reading, given: Given) => Prepares<P>,
): Ways<Database, Given, P> {
  return waysOf((db) => build(db.builders, parameters<Given>()).prepare());
}

/** As `query`, for a statement that writes in the caller's transaction; it may include a select. */
export function change<P extends Prepared, Given>(
  build: (
    db: Pick<Builders, "select" | "insert" | "update" | "delete">,
    given: Given,
  ) => Prepares<P>,
): Ways<Transaction, Given, P> {
  return waysOf((tx) => build(tx.builders, parameters<Given>()).prepare());
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
