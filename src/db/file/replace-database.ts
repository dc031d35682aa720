import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { Database } from "../database.ts";
import { isBusy } from "../lock.ts";
import { requireKnownVersion } from "../schema-version.ts";
import { flush, requireSoundFile, writeCopy } from "./database-copy.ts";
import { giveToOwnerOf, realFile, whyRefused } from "./file-access.ts";

interface Replacement {
  /** Schema version of the file now in place; the next start migrates an older one. */
  schemaVersion: number;
  /** Path of the previous database; null if there was none. */
  keptAs: string | null;
}

/** SQLite's codes for a damaged file. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;
/** Suffixes of the files that SQLite keeps beside a database, and would apply to any file of that name. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/**
 * Replaces the database by a copy of a file. The former database is kept beside it, including the content
 * of its WAL; a symbolic link to it stays. Nobody can open the database meanwhile, and at every moment one
 * of the two is in place.
 * @param suffix added to the former database's name, with a number if that name is taken
 * @throws AppError `conflict` if a process uses the database or the file is damaged,
 *   `unavailable` if the disk refuses
 */
export function replaceDatabase(
  named: string,
  file: string,
  suffix: string,
  clock: Clock,
): Replacement {
  const path = realFile(named);
  requireOther(path, file);
  requireKnownVersion(file, requireSoundFile(file, "full"));
  mkdirSync(dirname(resolve(path)), { recursive: true });
  const aside = freeName(path + suffix);
  const keptAs = existsSync(path) ? aside : null;
  const lock = keptAs === null ? null : lockDatabase(path);
  const draft = `${path}.restoring`;
  try {
    rmSync(draft, { force: true });
    const { schemaVersion } = copyFile(file, draft, clock);
    giveToOwnerOf(keptAs === null ? dirname(resolve(path)) : path, draft);
    // Without a database there is no lock, and companions belong to one that is gone. A present database's
    // are checkpointed and removed by `lockDatabase`.
    for (const companion of lock === null ? COMPANIONS : []) {
      if (existsSync(path + companion)) renameSync(path + companion, aside + companion);
    }
    if (keptAs !== null) linkSync(path, keptAs);
    renameSync(draft, path);
    flush(dirname(resolve(path)));
    return { schemaVersion, keptAs };
  } finally {
    lock?.close();
    rmSync(draft, { force: true });
  }
}

/** Finds a name that is free, because two restores may happen within the same second. */
function freeName(wanted: string): string {
  const isTaken = (name: string) => ["", ...COMPANIONS].some((end) => existsSync(name + end));
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}

/** @throws AppError `conflict` if a process is using the database, `unavailable` if the disk refuses */
export function requireUnused(path: string): void {
  lockDatabase(realFile(path)).close();
}

function requireOther(path: string, file: string): void {
  const [one, other] = [path, file].map((name) => statSync(name, { throwIfNoEntry: false }));
  if (other === undefined) throw new AppError("not_found", message("noFile", { path: file }));
  if (one?.ino === other.ino && one.dev === other.dev) {
    throw new AppError("conflict", message("fileIsDatabase", { file }));
  }
}

/** Copied by SQLite, since the file may have a WAL of its own. */
function copyFile(file: string, draft: string, clock: Clock): { schemaVersion: number } {
  using db = new Database(new BetterSqlite3(file, { readonly: true }), clock);
  return writeCopy(db, draft, clock);
}

/**
 * Locks the database against every other process until the connection is closed, and checkpoints and
 * removes its WAL. SQLite leaves WAL mode only if nobody else has the file open; with `locking_mode`
 * EXCLUSIVE it then keeps the lock.
 */
function lockDatabase(path: string): BetterSqlite3.Database {
  let client: BetterSqlite3.Database | null = null;
  try {
    client = new BetterSqlite3(path, { timeout: 0 });
    client.pragma("locking_mode = EXCLUSIVE");
    client.pragma("journal_mode = DELETE");
    client.exec("BEGIN EXCLUSIVE");
    rmSync(`${path}-shm`, { force: true });
    return client;
  } catch (cause) {
    client?.close();
    if (isBusy(cause)) {
      throw new AppError("conflict", message("databaseInUse", { path }), { cause });
    }
    const isDamaged = cause instanceof Error && "code" in cause && DAMAGE.test(String(cause.code));
    if (!isDamaged) {
      const reason = whyRefused(path, cause);
      throw new AppError("unavailable", message("cannotLock", { path, reason }), { cause });
    }
    const companions = COMPANIONS.map((end) => path + end);
    throw new AppError("conflict", message("cannotTellUse", { path, companions }), { cause });
  }
}
