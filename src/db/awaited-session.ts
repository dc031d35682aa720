import type { RunResult } from "better-sqlite3";
import type { ExtractTablesWithRelations } from "drizzle-orm";
import { BetterSQLiteSession, type PreparedQuery } from "drizzle-orm/better-sqlite3/session";
import {
  BaseSQLiteDatabase,
  SQLiteAsyncDialect,
  SQLitePreparedQuery,
  SQLiteSession,
  SQLiteSyncDialect,
} from "drizzle-orm/sqlite-core";
import type { Statement } from "./statement.ts";

/** Queries name their tables themselves. */
type NoTables = Record<string, never>;
type NoRelations = ExtractTablesWithRelations<NoTables>;

/** drizzle's builders whose queries are awaited. */
export type Builders = BaseSQLiteDatabase<"async", RunResult>;
/** drizzle's builders whose queries answer at once. */
export type BuildersNow = BaseSQLiteDatabase<"sync", RunResult>;

/** @param prepare the statement of a SQL text, which drizzle alone runs: it is all it calls of the driver */
export function createBuilders(prepare: (sql: string) => Statement): {
  builders: Builders;
  buildersNow: BuildersNow;
} {
  const session = new BetterSQLiteSession<NoTables, NoRelations>(
    { prepare } as never,
    new SQLiteSyncDialect(),
    undefined,
  );
  const dialect = new SQLiteAsyncDialect();
  const awaited = new AwaitedSession(dialect, session);
  return {
    builders: new BaseSQLiteDatabase("async", dialect, awaited, undefined),
    buildersNow: new BaseSQLiteDatabase("sync", new SQLiteSyncDialect(), session, undefined),
  };
}

type Session = BetterSQLiteSession<NoTables, NoRelations>;

/**
 * Has the queries of SQLite's driver, which answers at once, answer with promises: the same code then
 * runs over a database that is asked across a network.
 */
class AwaitedSession extends SQLiteSession<"async", RunResult, NoTables, NoRelations> {
  readonly #session: Session;

  constructor(dialect: SQLiteAsyncDialect, session: Session) {
    super(dialect);
    this.#session = session;
  }

  override prepareQuery(...how: Parameters<Session["prepareQuery"]>): AwaitedQuery {
    return new AwaitedQuery(this.#session.prepareQuery(...how), how[0], how[2]);
  }

  override transaction(): never {
    throw new Error("a transaction is begun by inTransaction");
  }
}

type Query = Parameters<Session["prepareQuery"]>[0];
type Method = Parameters<Session["prepareQuery"]>[2];
type Values = Record<string, unknown>;

/** A query of the driver's, awaited. */
// biome-ignore lint/suspicious/noExplicitAny: each builder gives its prepared query the type of its rows
class AwaitedQuery extends SQLitePreparedQuery<any> {
  readonly #query: PreparedQuery;

  constructor(query: PreparedQuery, sql: Query, method: Method) {
    super("async", method, sql);
    this.#query = query;
    // A builder that joins tables says by it which of them a row may lack. The parent class has a field
    // of that name in each object, so a setter of this class would never be called.
    Object.defineProperty(this, "joinsNotNullableMap", {
      set: (joins) => Object.assign(query, { joinsNotNullableMap: joins }),
    });
  }

  override async run(values?: Values): Promise<RunResult> {
    return this.#query.run(values);
  }

  override async all(values?: Values): Promise<unknown> {
    return this.#query.all(values);
  }

  override async get(values?: Values): Promise<unknown> {
    return this.#query.get(values);
  }

  override async values(values?: Values): Promise<unknown> {
    return this.#query.values(values);
  }
}
