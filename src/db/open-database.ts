import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { beginsWords } from "../values/fold-text.ts";
import { message } from "../values/messages/messages.ts";
import { Database } from "./database.ts";
import { armDeadline } from "./deadline.ts";
import { checkpointsItself } from "./file/checkpoint.ts";
import { deniedAccess, giveToOwnerOf, realFile, whyRefused } from "./file/file-access.ts";
import { createLockTurns, ownWords, sharedWords, untilFree } from "./lock.ts";

export const IN_MEMORY = ":memory:";

/**
 * Sizes of page caches, by access. Memory-mapped reading is off: SQLite remaps the file after every commit
 * of another connection, usage is committed all the time, and searches took three times as long.
 */
const CACHES_KIB = {
  writer: 32 * 1024,
  counter: 32 * 1024,
  // Emptied after every commit of another connection, so it only serves a single query. Every reader thread
  // has one; three times as much made no query faster.
  reader: 4 * 1024,
};
/** How long to wait while another process creates the file. */
const OPEN_TIMEOUT_MS = 30_000;
/**
 * Writers have no busy timeout, because they wait for the lock without blocking their thread
 * (transaction.ts). A reader meets a lock only briefly, while the file is opened or closed.
 */
const BUSY_TIMEOUTS_MS = { writer: 0, counter: 0, reader: 1_000 };

/**
 * What a connection is for. A `writer` flushes each commit to disk before acknowledging it, so it survives
 * a power cut. A `counter` leaves flushing to the next writer, and checkpoints to others: a crash of the
 * process loses nothing, a power cut its last moments. A `reader` refuses every write. Nothing keeps a
 * `counter` from other writes: switching `query_only` on and off around its counting would make SQLite
 * prepare all statements again.
 */
export type Access = "writer" | "counter" | "reader";

/** Durability of a `counter`'s commits; `full` flushes them as a `writer` does. */
type Durability = "usual" | "full";

/**
 * Opens the file; a writing access creates it, and its folder, if it is missing.
 * @throws AppError `unavailable` naming the file if it cannot be opened
 */
export function openDatabase(
  path: string,
  clock: Clock,
  access: Access = "writer",
  durability: Durability = "usual",
): Database {
  try {
    if (path !== IN_MEMORY && access !== "reader") makeFile(path);
    return connect(openFile(path), clock, access, durability);
  } catch (cause) {
    const fault = message("cannotOpenDatabase", { path, reason: whyRefused(path, cause) });
    throw new AppError("unavailable", fault, { cause });
  }
}

/** An in-memory database with the contents of a file. */
export function openInMemory(content: Buffer, clock: Clock): Database {
  return connect(new BetterSqlite3(content), clock, "writer");
}

/** Prepares a connection for use; closes it if that fails. */
function connect(
  client: BetterSqlite3.Database,
  clock: Clock,
  access: Access,
  durability: Durability = "usual",
): Database {
  return orClosed(client, () => {
    // Two processes may create the file at once; SQLite then refuses one switch to WAL without waiting, so
    // we retry. Without a busy timeout of its own, or the retries would take hours under a lock that stays.
    client.pragma("busy_timeout = 0");
    // A file can give free pages back if that is decided before its first page.
    if (client.pragma("page_count", { simple: true }) === 0) {
      untilFree(() => client.pragma("auto_vacuum = INCREMENTAL"));
    }
    untilFree(() => client.pragma("journal_mode = WAL"));
    // A writer flushes by itself, after it has released the lock (`flush`): SQLite would do it before.
    client.pragma(`synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    client.pragma("foreign_keys = ON");
    client.pragma(`cache_size = -${CACHES_KIB[access]}`);
    client.pragma("temp_store = MEMORY");
    if (access === "reader") client.pragma("query_only = ON");
    client.pragma("wal_autocheckpoint = 0");
    client.pragma(`busy_timeout = ${BUSY_TIMEOUTS_MS[access]}`);
    const isFile = !client.memory && access !== "reader";
    const db = new Database(client, clock, {
      turns: createLockTurns(isFile ? sharedWords(realFile(client.name)) : ownWords()),
      flushes: isFile && access === "writer",
    });
    armDeadline(db, clock);
    db.defineFunction("begins_words", (text, words) =>
      Number(beginsWords(String(text), String(words))),
    );
    if (access === "writer") checkpointsItself(db);
    return db;
  });
}

/**
 * Opens the file, again if a restore replaced it while this process waited for the lock: the old file must
 * not get a WAL, which would carry the new file's name.
 */
function openFile(path: string): BetterSqlite3.Database {
  for (;;) {
    const inode = inodeOf(path);
    // `makeFile` has created it for writers, and a reader must not create an empty one.
    const fileMustExist = path !== IN_MEMORY;
    const client = new BetterSqlite3(path, { timeout: OPEN_TIMEOUT_MS, fileMustExist });
    orClosed(client, () => client.pragma("user_version"));
    if (inodeOf(path) === inode) return client;
    client.close();
  }
}

/** Runs work on a connection that nobody else would close if it fails. */
function orClosed<T>(client: BetterSqlite3.Database, work: () => T): T {
  try {
    return work();
  } catch (error) {
    client.close();
    throw error;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Creates a file that only its owner can read, because it will contain sessions and mails. */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  const folder = dirname(resolve(realFile(path)));
  mkdirSync(folder, { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  giveToOwnerOf(folder, path);
}

/** @throws AppError `not_found` */
export function requireExisting(path: string): void {
  if (!existsSync(path)) throw new AppError("not_found", message("noDatabase", { path }));
}

/**
 * Refuses a file that cannot be written. SQLite would open it if a dead process left its `-shm`, and only
 * fail at the first write.
 * @throws AppError `unavailable` if the file or its folder is not writable
 */
export function requireWritable(path: string): void {
  const reason = path === IN_MEMORY ? null : deniedAccess(path);
  if (reason !== null)
    throw new AppError("unavailable", message("cannotOpenDatabase", { path, reason }));
}

/** Opens an existing database for reading. @throws AppError `not_found` */
export function openExisting(path: string, clock: Clock): Database {
  requireExisting(path);
  return openDatabase(path, clock, "reader");
}
