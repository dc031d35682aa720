import { closeSync, fdatasyncSync, openSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";
import type { ExtractTablesWithRelations } from "drizzle-orm";
import { BetterSQLiteSession } from "drizzle-orm/better-sqlite3/session";
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Clock } from "../ports/clock.ts";
import { realFile } from "./file/file-access.ts";
import { createLockTurns, type LockTurns, ownWords } from "./lock.ts";
import { type NoteSlow, Statement, type Watch, withSql } from "./statement.ts";

/** Most statements cached per connection: more than normal work uses, and some 20 MB. */
export const STATEMENTS_KEPT_MAX = 500;
const GENERATION_MAX = STATEMENTS_KEPT_MAX / 2;

type Statements = Map<string, Statement>;

/**
 * Prepared statements of one connection, by text. Callers' filters vary the texts, so not all can be kept.
 * New statements enter the young generation; once that is full it becomes the old one, and the previous old
 * one is dropped except for statements used since. A hit among the young, which nearly all are, needs no
 * bookkeeping. A statement stays usable for whoever still holds it.
 */
export function createStatementCache(prepare: (sql: string) => Statement) {
  let young: Statements = new Map();
  let old: Statements = new Map();

  function keep(sql: string, statement: Statement): Statement {
    if (young.size >= GENERATION_MAX) {
      old = young;
      young = new Map();
    }
    young.set(sql, statement);
    return statement;
  }

  return {
    /** The cached statement of a text, prepared if necessary. */
    get(sql: string): Statement {
      const found = young.get(sql);
      if (found !== undefined) return found;
      const former = old.get(sql);
      old.delete(sql);
      return keep(sql, former ?? prepare(sql));
    },

    kept: (): number => young.size + old.size,
  };
}

const TEXT_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[?@]\w*/g;

/**
 * The same statement with a plus before each parameter. SQLite's planner inspects the values of bare
 * parameters and replans the statement whenever a different value is bound; it does not look behind a plus.
 * Finding a row by an index takes 1.2 µs with the plus and 5.4 without, and a page of the catalog three
 * quarters of the time; finding a row by id takes 0.7 µs either way. So every cached statement has it: none
 * gets slower, and the plans that tests pin hold for every value.
 */
function plannedOnce(sql: string): string {
  return sql.replace(TEXT_OR_PARAMETER, (part) => (/^[?@]/.test(part) ? `+${part}` : part));
}

export type Builders = BaseSQLiteDatabase<"sync", BetterSqlite3.RunResult>;
/** Query builders that cannot write. */
export type Reading = Pick<Builders, "select" | "selectDistinct">;

/** drizzle's relational schema is unused: queries name their tables themselves. */
type NoTables = Record<string, never>;
type NoRelations = ExtractTablesWithRelations<NoTables>;

/** @param prepare all that drizzle calls of the driver; it runs the prepared statements itself */
function createBuilders(prepare: (sql: string) => Statement): Builders {
  const dialect = new SQLiteSyncDialect();
  const driver = { prepare } as never;
  const session = new BetterSQLiteSession<NoTables, NoRelations>(driver, dialect, undefined);
  return new BaseSQLiteDatabase("sync", dialect, session, undefined);
}

/** How a connection gets the write lock, and whether it flushes its commits. */
interface Writing {
  turns: LockTurns;
  flushes: boolean;
}

/**
 * SQLite itself tries only twice to prepare a statement whose full-text index another process has just
 * replaced. Beside one that did nothing else, 1 in 370 failed then, and 1 in 2,000 a second time.
 */
const PREPARED_TRIES_MAX = 20;

const hasNewSchema = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_SCHEMA";

/** More than any database has. */
const PAGES_MAX = 2 ** 31 - 1;

const NOT_WRITING: Writing = { turns: createLockTurns(ownWords()), flushes: false };

/**
 * One connection to SQLite. The driver's handle is private to it, so every error carries its statement and
 * every slow statement is reported.
 */
export class Database {
  readonly #client: BetterSqlite3.Database;
  readonly #watch: Watch;
  readonly #ends: (() => void)[] = [];
  /** Whether its commits have to survive a power cut. */
  readonly flushes: boolean;
  /** Descriptor of the write-ahead log, once it was flushed. */
  #log: number | null = null;
  readonly turns: LockTurns;
  /** Prepared statements, by the text they were requested with. */
  readonly statements = createStatementCache((sql) => this.prepare(plannedOnce(sql)));
  /** drizzle's builders, for statements that vary; fixed ones are prepared once (query.ts). */
  readonly builders: Reading;

  constructor(client: BetterSqlite3.Database, clock: Clock, writing: Writing = NOT_WRITING) {
    this.#client = client;
    this.flushes = writing.flushes;
    this.turns = writing.turns;
    this.#watch = { clock, noteSlow: () => {} };
    // Separate from `statements`, because drizzle switches its statements to return arrays instead of rows.
    const built = createStatementCache((sql) => this.prepare(plannedOnce(sql)));
    this.builders = createBuilders((sql) => built.get(sql));
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

  onSlow(note: NoteSlow): void {
    this.#watch.noteSlow = note;
  }

  /**
   * Prepares a statement without caching it, with its text unchanged. For anything that runs repeatedly,
   * use `statement`.
   */
  prepare<Row>(sql: string): Statement<Row> {
    for (let tries = 1; ; tries++) {
      try {
        return new Statement<Row>(this.#client.prepare(sql), sql, this.#watch);
      } catch (error) {
        if (!hasNewSchema(error) || tries === PREPARED_TRIES_MAX) throw withSql(error, sql);
      }
    }
  }

  /** Runs statements that have no parameters and return nothing. */
  exec(sql: string): void {
    try {
      this.#client.exec(sql);
    } catch (error) {
      throw withSql(error, sql);
    }
  }

  pragma<Row>(text: string): Row[] {
    try {
      return this.#client.pragma(text) as Row[];
    } catch (error) {
      throw withSql(error, `PRAGMA ${text}`);
    }
  }

  pragmaValue(text: string): unknown {
    const [row] = this.pragma<object>(text);
    return row && Object.values(row)[0];
  }

  /** Defines an SQL function. It counts as not deterministic, so SQLite calls it for each row. */
  defineFunction(name: string, work: (...values: unknown[]) => unknown): void {
    this.#client.function(name, { deterministic: false }, work);
  }

  /**
   * Runs work that writes to a virtual table's shadow tables, which SQLite otherwise refuses. Its
   * statements must not be cached (use `prepare`), because they are valid during this work only.
   */
  changingShadowTables<T>(work: () => T): T {
    this.#client.unsafeMode(true);
    try {
      return work();
    } finally {
      this.#client.unsafeMode(false);
    }
  }

  /**
   * Writes a copy of the whole database, as of now, into a new file, with every page in its place. In one
   * step, because SQLite starts over whenever another connection commits between two.
   */
  async copyPagesTo(path: string): Promise<void> {
    await this.#client.backup(path, { progress: () => PAGES_MAX });
  }

  /** Writes a compacted copy of the whole database, as of now, into a new file. */
  copyTo(path: string): void {
    // VACUUM INTO does not change the source, but SQLite refuses it on a read-only connection.
    const queryOnly = this.pragmaValue("query_only");
    this.exec("PRAGMA query_only = OFF");
    try {
      this.prepare("VACUUM INTO ?").run(path);
    } finally {
      this.exec(`PRAGMA query_only = ${queryOnly}`);
    }
  }

  /** Flushes what was committed, on a connection whose commits have to survive a power cut. */
  flush(): void {
    if (!this.flushes) return;
    // Opened after a commit, when the log exists; SQLite keeps it until its last connection is closed.
    this.#log ??= openSync(`${realFile(this.path)}-wal`, "r");
    fdatasyncSync(this.#log);
  }

  onClose(end: () => void): void {
    this.#ends.push(end);
  }

  close(): void {
    for (const end of this.#ends) end();
    if (this.#log !== null) closeSync(this.#log);
    this.#client.close();
  }

  /** Lets `using` close a connection at the end of its block. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * A connection inside a transaction. `inTransaction` passes it to its callback, and functions that write
 * control data require it.
 */
export interface Transaction extends Database {
  readonly builders: Builders;
}

/**
 * The prepared statement of a SQL text on this connection, cached for the next use. Meant for what
 * drizzle's builders cannot express, or where they would cost more than the query: a test lists these
 * places, each with its reason (test/contract/raw-sql.test.ts).
 */
export function statement<Row>(db: Database, sql: string): Statement<Row> {
  return db.statements.get(sql) as Statement<Row>;
}
