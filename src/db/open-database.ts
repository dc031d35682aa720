import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";
import { untilFree } from "./busy.ts";
import { checkpointsItself } from "./checkpoint.ts";
import { Database } from "./database.ts";
import { armDeadline } from "./deadline.ts";
import { deniedAccess, giveToOwnerOf } from "./file-owner.ts";
import { realFile } from "./real-file.ts";
import { whyRefused } from "./refused-file.ts";

export const IN_MEMORY = ":memory:";

/**
 * No memory-mapped reading beside them: SQLite maps the file anew after every commit of another
 * connection, and usage is committed all the time; searches then took three times as long.
 */
const CACHES_KIB = {
  writer: 32 * 1024,
  counter: 32 * 1024,
  // Emptied after every commit of another connection, so it serves one query; each of some threads has
  // one, and with three times as much no query took less.
  reader: 4 * 1024,
};
/** The wait for another process that is making the new file. */
const OPEN_TIMEOUT_MS = 5_000;
/**
 * No timeout for a connection that writes: it waits for the lock without blocking its thread (see
 * transaction.ts). A reader meets a lock only for moments, while the file is opened or closed.
 */
const BUSY_TIMEOUTS_MS = { writer: 0, counter: 0, reader: 1_000 };

/**
 * The purpose of a connection. A commit of a `writer` is flushed to the disk before it is acknowledged,
 * and survives a loss of power. A `counter` leaves that to the next flush (by a writer, or of a
 * checkpoint, which it leaves to others too): a crash of the process loses nothing of it, a loss of
 * power its last instant. A `reader` refuses every write; a `counter` cannot refuse what is not
 * counting, since SQLite would prepare all statements anew at each switch.
 */
export type Access = "writer" | "counter" | "reader";

/** How far a commit of a `counter` goes: `full`, as one of a `writer`. */
type Durability = "usual" | "full";

const SYNCHRONOUS = { writer: "FULL", counter: "NORMAL", reader: "NORMAL" };

/**
 * Opens the file, made (with its folder) where it is missing and the access is to write.
 * @throws AppError `unavailable` naming the file, where it cannot be opened
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
    const said = message("cannotOpenDatabase", { path, reason: whyRefused(path, cause) });
    throw new AppError("unavailable", said, { cause });
  }
}

/** A database in memory with the content of a file. */
export function openInMemory(content: Buffer, clock: Clock): Database {
  return connect(new BetterSqlite3(content), clock, "writer");
}

function connect(
  client: BetterSqlite3.Database,
  clock: Clock,
  access: Access,
  durability: Durability = "usual",
): Database {
  // Two processes may create the file at once; SQLite then refuses one switch to WAL without waiting,
  // so we retry. With waits of its own besides, the tries would take hours under a lock that stays.
  client.pragma("busy_timeout = 0");
  untilFree(() => client.pragma("journal_mode = WAL"));
  client.pragma(`synchronous = ${durability === "full" ? "FULL" : SYNCHRONOUS[access]}`);
  client.pragma("foreign_keys = ON");
  client.pragma(`cache_size = -${CACHES_KIB[access]}`);
  client.pragma("temp_store = MEMORY");
  if (access === "reader") client.pragma("query_only = ON");
  client.pragma("wal_autocheckpoint = 0");
  client.pragma(`busy_timeout = ${BUSY_TIMEOUTS_MS[access]}`);
  const db = new Database(client, clock);
  armDeadline(db, clock);
  if (access === "writer") checkpointsItself(db);
  return db;
}

/**
 * Opened anew where a restore put another file in its place while this one waited for the lock: the
 * former file must not get a WAL, which would have the new one's name.
 */
function openFile(path: string): BetterSqlite3.Database {
  for (;;) {
    const inode = inodeOf(path);
    const client = new BetterSqlite3(path, { timeout: OPEN_TIMEOUT_MS });
    client.pragma("user_version");
    if (inodeOf(path) === inode) return client;
    client.close();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Makes a file that only its owner can read: sessions and mails are in it. */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  const folder = dirname(resolve(realFile(path)));
  mkdirSync(folder, { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  giveToOwnerOf(folder, path);
}

export function databaseExists(path: string): boolean {
  return existsSync(path);
}

/** @throws AppError `not_found` */
export function requireExisting(path: string): void {
  if (!existsSync(path)) throw new AppError("not_found", message("noDatabase", { path }));
}

/**
 * SQLite opens a read-only file where a process that died left its `-shm`, and fails at the first write.
 * @throws AppError `unavailable` where the file or its folder takes no writes
 */
export function requireWritable(path: string): void {
  const reason = path === IN_MEMORY ? null : deniedAccess(path);
  if (reason !== null)
    throw new AppError("unavailable", message("cannotOpenDatabase", { path, reason }));
}

/** A reader of a database that must be there. @throws AppError `not_found` */
export function openExisting(path: string, clock: Clock): Database {
  requireExisting(path);
  return openDatabase(path, clock, "reader");
}
