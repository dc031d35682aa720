import type BetterSqlite3 from "better-sqlite3";
import type { Clock } from "../ports/clock.ts";
import { type Builders, type BuildersNow, createBuilders } from "./awaited-session.ts";
import { plannedOnce } from "./planned-once.ts";
import { type NoteSlow, Statement, type Watch, withSql } from "./statement.ts";
import { createStatementCache } from "./statement-cache.ts";

/** Builders of queries that write nothing. */
export type Reading = Pick<Builders, "select" | "selectDistinct">;

/**
 * One connection to SQLite. Nobody else has the driver's handle, so each error knows its statement and
 * each slow statement is told of.
 */
export class Database {
  readonly #client: BetterSqlite3.Database;
  readonly #watch: Watch;
  readonly #ends: (() => void)[] = [];
  /** Prepared statements by their text, as it was asked for. */
  readonly statements = createStatementCache((sql) => this.prepare(plannedOnce(sql)));
  /** drizzle's, for statements that differ from time to time; others are prepared once (query.ts). */
  readonly builders: Reading;
  /** The same without waiting. */
  readonly buildersNow: Pick<BuildersNow, "select">;

  constructor(client: BetterSqlite3.Database, clock: Clock) {
    this.#client = client;
    this.#watch = { clock, noteSlow: () => {} };
    // A cache apart from `statements`: drizzle has its statements answer with lists in place of rows.
    const built = createStatementCache((sql) => this.prepare(plannedOnce(sql)));
    const { builders, buildersNow } = createBuilders((sql) => built.get(sql));
    this.builders = builders;
    this.buildersNow = buildersNow;
  }

  get path(): string {
    return this.#client.name;
  }

  get isInMemory(): boolean {
    return this.#client.memory;
  }

  get isInTransaction(): boolean {
    return this.#client.inTransaction;
  }

  /** Has each slow run of a statement told to one listener. */
  onSlow(note: NoteSlow): void {
    this.#watch.noteSlow = note;
  }

  /** A statement that is not kept, with its text as it is; `statement` is for all that runs again. */
  prepare<Row>(sql: string): Statement<Row> {
    try {
      return new Statement<Row>(this.#client.prepare(sql), sql, this.#watch);
    } catch (error) {
      throw withSql(error, sql);
    }
  }

  /** Runs statements that have no values and answer with nothing. */
  exec(sql: string): void {
    try {
      this.#client.exec(sql);
    } catch (error) {
      throw withSql(error, sql);
    }
  }

  /** The rows that a pragma answers with. */
  pragma<Row>(text: string): Row[] {
    try {
      return this.#client.pragma(text) as Row[];
    } catch (error) {
      throw withSql(error, `PRAGMA ${text}`);
    }
  }

  /** The one value that a pragma answers with. */
  pragmaValue(text: string): unknown {
    const [row] = this.pragma<object>(text);
    return row && Object.values(row)[0];
  }

  /** Makes a function that SQL may call, anew for each row. */
  defineFunction(name: string, work: (...values: unknown[]) => unknown): void {
    this.#client.function(name, { deterministic: false }, work);
  }

  /**
   * Runs work that writes to the tables which a virtual table keeps its content in; SQLite refuses that
   * else. Such statements are not kept (`prepare`), since they hold for this work only.
   */
  changingShadowTables<T>(work: () => T): T {
    this.#client.unsafeMode(true);
    try {
      return work();
    } finally {
      this.#client.unsafeMode(false);
    }
  }

  /** Writes a copy of the whole database, as it is at this moment, into a new file. */
  copyTo(path: string): void {
    // A reader writes nothing to its own file by it, but would be refused.
    const queryOnly = this.pragmaValue("query_only");
    this.exec("PRAGMA query_only = OFF");
    try {
      this.prepare("VACUUM INTO ?").run(path);
    } finally {
      this.exec(`PRAGMA query_only = ${queryOnly}`);
    }
  }

  /** Has something end with the connection. */
  onClose(end: () => void): void {
    this.#ends.push(end);
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#client.close();
  }
}

/**
 * A connection within a transaction: `inTransaction` hands it to its callback, and what writes control
 * data asks for it.
 */
export interface Transaction extends Database {
  readonly builders: Builders;
}

/**
 * The prepared statement of this SQL text on this connection, kept for the next time. For what drizzle's
 * builders cannot say, and where they would cost more than the query: a test lists these places, each
 * with its reason (test/contract/raw-sql.test.ts).
 */
export function statement<Row>(db: Database, sql: string): Statement<Row> {
  return db.statements.get(sql) as Statement<Row>;
}
