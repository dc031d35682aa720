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

/** drizzle's relational schema is unused: queries name their tables themselves. */
type NoTables = Record<string, never>;
type NoRelations = ExtractTablesWithRelations<NoTables>;

/** drizzle's query builders, whose queries return promises. */
export type Builders = BaseSQLiteDatabase<"async", RunResult>;
/** drizzle's query builders, whose queries return their result without a promise. */
export type BuildersNow = BaseSQLiteDatabase<"sync", RunResult>;

/**
 * @param prepare prepares the statement of a SQL text; drizzle runs these statements itself and calls
 * nothing else of the driver
 */
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
 * Makes queries of the synchronous SQLite driver return promises, so that the same code would also work
 * over a database across the network.
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

/** A query of the synchronous driver that returns promises. */
// biome-ignore lint/suspicious/noExplicitAny: each builder gives its prepared query the type of its rows
class AwaitedQuery extends SQLitePreparedQuery<any> {
  readonly #query: PreparedQuery;

  constructor(query: PreparedQuery, sql: Query, method: Method) {
    super("async", method, sql);
    this.#query = query;
    // A builder with joins sets this to say which tables a row may lack. The parent class defines the field
    // on each object, so a setter in this class would never be called.
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
