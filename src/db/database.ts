import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { armDeadline } from "./deadline.ts";

/** One connection: drizzle's builder, with the driver's handle as `$client`. */
export type Database = BetterSQLite3Database & { $client: BetterSqlite3.Database };

export const IN_MEMORY = ":memory:";

/**
 * No memory-mapped reading beside it: SQLite maps the file anew after every commit of another
 * connection, and usage is committed all the time; searches then took three times as long.
 */
const CACHE_KIB = 32 * 1024;
/** While a new file is made by another process, opening it has to wait. */
const OPEN_TIMEOUT_MS = 5_000;
/**
 * None for a connection that writes: it waits for the lock without blocking its thread (see
 * transaction.ts). A reader meets a lock only for moments, while the file is opened or closed.
 */
const BUSY_TIMEOUTS_MS = { writer: 0, reader: 1_000 };

/**
 * Opens the file, made (with its folder) where it is missing. A `reader` refuses every write.
 * @throws AppError `unavailable` naming the file, where it cannot be opened
 */
export function openDatabase(
  path: string,
  clock: Clock,
  access: "writer" | "reader" = "writer",
): Database {
  try {
    if (path !== IN_MEMORY && access === "writer") makeFile(path);
    const client = new BetterSqlite3(path, { timeout: OPEN_TIMEOUT_MS });
    client.pragma("journal_mode = WAL");
    client.pragma("foreign_keys = ON");
    client.pragma(`cache_size = -${CACHE_KIB}`);
    client.pragma("temp_store = MEMORY");
    if (access === "reader") client.pragma("query_only = ON");
    client.pragma(`busy_timeout = ${BUSY_TIMEOUTS_MS[access]}`);
    armDeadline(client, clock);
    return drizzle({ client });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", `Cannot open the database ${path}: ${reason}.`, { cause });
  }
}

/** For its owner's eyes only: sessions and mails are in it. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

export function databaseExists(path: string): boolean {
  return existsSync(path);
}

export function closeDatabase(db: Database): void {
  db.$client.close();
}

/**
 * Copies the write-ahead log into the file and empties it, so that the file alone is the whole
 * database. Where another process reads or writes at this moment, the log stays for whoever opens
 * the file next.
 */
export function foldLog(db: Database): void {
  db.$client.pragma("wal_checkpoint(TRUNCATE)");
}

const statements = new WeakMap<Database, Map<string, BetterSqlite3.Statement>>();

/**
 * The prepared statement of this SQL text on this connection, prepared once. For SQL whose shape
 * depends on the request, and for loops where a query builder would cost more than the query; rows
 * of accounts, keys and directories are read through drizzle.
 */
export function statement<Row>(db: Database, sql: string): BetterSqlite3.Statement<unknown[], Row> {
  let known = statements.get(db);
  if (known === undefined) {
    known = new Map();
    statements.set(db, known);
  }
  let prepared = known.get(sql);
  if (prepared === undefined) {
    prepared = db.$client.prepare(plannedOnce(sql));
    known.set(sql, prepared);
  }
  return prepared as BetterSqlite3.Statement<unknown[], Row>;
}

const TEXT_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[?@]\w*/g;

/**
 * SQLite's planner looks at the values of bare parameters, and plans the statement anew whenever
 * another value is bound, which takes three to fifteen times as long as finding a row. What stands
 * behind a plus it does not look at; the value is the same.
 */
function plannedOnce(sql: string): string {
  return sql.replace(TEXT_OR_PARAMETER, (part) => (/^[?@]/.test(part) ? `+${part}` : part));
}

/** Writes a copy of the whole database, as it is at this moment, into a new file. */
export function copyDatabase(db: Database, path: string): void {
  db.$client.prepare("VACUUM INTO ?").run(path);
}
