import type BetterSqlite3 from "better-sqlite3";
import type { RunResult } from "better-sqlite3";
import { inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Builders, Database, Reading, Transaction } from "./database.ts";

/** Statements that take longer are reported. */
export const SLOW_MS = 100;

/** Listener called for each slow run of a statement, with its text but without values. */
export type NoteSlow = (sql: string, tookMs: number) => void;

/** The clock that times a connection's statements, and the listener for slow ones. */
export interface Watch {
  clock: Clock;
  noteSlow: NoteSlow;
}

/**
 * A prepared statement. Its errors carry its text as their private cause, and slow runs are reported;
 * together this takes 0.08 µs, where finding a row takes 0.6.
 */
export class Statement<Row = unknown> {
  readonly #prepared: BetterSqlite3.Statement<unknown[], Row>;
  readonly #sql: string;
  readonly #watch: Watch;

  constructor(prepared: BetterSqlite3.Statement, sql: string, watch: Watch) {
    this.#prepared = prepared as BetterSqlite3.Statement<unknown[], Row>;
    this.#sql = sql;
    this.#watch = watch;
  }

  /** Whether it returns rows. */
  get reader(): boolean {
    return this.#prepared.reader;
  }

  /** Whether it leaves the database unchanged. */
  get readonly(): boolean {
    return this.#prepared.readonly;
  }

  run(...values: unknown[]): BetterSqlite3.RunResult {
    const begunMs = this.#watch.clock.monotonic();
    try {
      return this.#prepared.run(...values);
    } catch (error) {
      throw withSql(error, this.#sql);
    } finally {
      this.#noteEnd(begunMs);
    }
  }

  get(...values: unknown[]): Row | undefined {
    const begunMs = this.#watch.clock.monotonic();
    try {
      return this.#prepared.get(...values);
    } catch (error) {
      throw withSql(error, this.#sql);
    } finally {
      this.#noteEnd(begunMs);
    }
  }

  all(...values: unknown[]): Row[] {
    const begunMs = this.#watch.clock.monotonic();
    try {
      return this.#prepared.all(...values);
    } catch (error) {
      throw withSql(error, this.#sql);
    } finally {
      this.#noteEnd(begunMs);
    }
  }

  /** Yields rows one by one; not timed, since the caller's work on each row would be included. */
  *iterate(...values: unknown[]): Generator<Row, void> {
    try {
      yield* this.#prepared.iterate(...values);
    } catch (error) {
      throw withSql(error, this.#sql);
    }
  }

  /** Switches the statement to return arrays of column values instead of rows, and returns it. */
  raw(): Statement<unknown[]> {
    this.#prepared.raw();
    return this as unknown as Statement<unknown[]>;
  }

  /** Switches the statement to return its single column instead of rows, and returns it. */
  pluck<Value>(): Statement<Value> {
    this.#prepared.pluck();
    return this as unknown as Statement<Value>;
  }

  #noteEnd(begunMs: number): void {
    const tookMs = this.#watch.clock.monotonic() - begunMs;
    if (tookMs >= SLOW_MS) this.#watch.noteSlow(this.#sql, tookMs);
  }
}

/** Text of a statement that failed, for the log. */
export class FailedStatement extends Error {
  override readonly name = "FailedStatement";
  override readonly stack: string;

  constructor(readonly sql: string) {
    super(sql);
    // Replaces the stack: the error caused by this one already has it.
    this.stack = `${this.name}: ${sql}`;
  }
}

/** A driver's error with the statement as its cause; errors thrown by SQL functions stay as they are. */
export function withSql(error: unknown, sql: string): unknown {
  if (error instanceof Error && !(error instanceof AppError)) {
    error.cause ??= new FailedStatement(sql);
  }
  return error;
}

/** Text of the statement that an error came from; null if unknown. */
export function sqlOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return error.cause instanceof FailedStatement ? error.cause.sql : sqlOf(error.cause);
}

/** `INSERT` of a row by column names. @param names from the program itself, never from input */
export function insertSql(table: string, names: readonly string[]): string {
  const values = names.map((name) => `@${name}`);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`;
}

export function updateSql(table: string, names: readonly string[]): string {
  const values = names.filter((name) => name !== "id").map((name) => `${name} = @${name}`);
  return `UPDATE ${table} SET ${values.join(", ")} WHERE id = @id`;
}

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

/** A statement's arguments: its values, or none if it takes none. */
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
