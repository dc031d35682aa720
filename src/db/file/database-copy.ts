import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { Database } from "../database.ts";
import { isBusy } from "../lock.ts";
import { requireKnownVersion, requireReleased } from "../schema-version.ts";
import { giveToOwnerOf, realFile, whyRefused } from "./file-access.ts";

/** A verified copy. */
export interface DatabaseCopy {
  path: string;
  bytes: number;
  schemaVersion: number;
}

const DRAFT_PREFIX = ".kanalog-copy-";
/** Age from which a draft must have been left by a killed process: no copy takes this long. */
const DRAFT_LEASE_MS = 12 * 60 * 60 * 1000;

/**
 * Copies the database as of now into a new file that only its owner may read. The file appears complete,
 * flushed and verified, or not at all. Other connections keep reading and writing; this thread is blocked
 * meanwhile.
 * @throws AppError `conflict` if the file exists or the copy is not sound, `unavailable` if it cannot be
 * written
 */
export function writeCopy(db: Database, path: string, clock: Clock): DatabaseCopy {
  requireAbsent(path);
  const draft = beginDraft(path, clock);
  try {
    db.copyTo(draft.path);
    const schemaVersion = requireSoundFile(draft.path, "quick");
    const bytes = fs.statSync(draft.path).size;
    publish(draft.path, path);
    return { path, bytes, schemaVersion };
  } catch (cause) {
    throw copyFailed(path, cause);
  } finally {
    draft.remove();
  }
}

/** A file beside the one that it is to become, in a folder of its own that only its owner may enter. */
export function beginDraft(path: string, clock: Clock): { path: string; remove(): void } {
  const folder = dirname(resolve(path));
  try {
    fs.mkdirSync(folder, { recursive: true });
    removeOldDrafts(folder, clock.now());
    const draftFolder = fs.mkdtempSync(join(folder, DRAFT_PREFIX));
    return {
      path: join(draftFolder, "copy"),
      remove: () => fs.rmSync(draftFolder, { recursive: true, force: true }),
    };
  } catch (cause) {
    throw copyFailed(path, cause);
  }
}

/**
 * Gives a complete draft its name, once its content is on the disk.
 * @throws AppError `conflict` if the file exists
 */
export function publish(draft: string, path: string): void {
  fs.chmodSync(draft, 0o600);
  flush(draft);
  requireAbsent(path);
  fs.renameSync(draft, path);
  flush(dirname(resolve(path)));
}

/** @returns an AppError `unavailable`, or the error itself if it tells callers already */
export function copyFailed(path: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError("unavailable", message("copyFailed", { path, reason }), { cause });
}

/** @throws AppError `conflict` */
export function requireAbsent(path: string): void {
  if (fs.existsSync(path)) throw new AppError("conflict", message("fileExists", { path }));
}

function removeOldDrafts(folder: string, nowMs: number): void {
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const draft = join(folder, name);
    const changedAt = fs.statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (changedAt < nowMs - DRAFT_LEASE_MS) fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Waits until a file, or a folder's entries, are on the disk. Does nothing for a folder on Windows, which
 * cannot.
 */
export function flush(path: string): void {
  if (process.platform === "win32" && fs.statSync(path).isDirectory()) return;
  const descriptor = fs.openSync(path, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Faults reported for a damaged file: the first few are enough. */
const DAMAGES_MAX = 3;

/**
 * Verifies a file that nobody writes to.
 * @param check `quick` does not compare indexes with their tables, and takes an eighth of the time
 * @returns its schema version
 * @throws AppError `conflict` if it is not a database of Kanalog, is of a program before the first release,
 * or damaged
 */
export function requireSoundFile(path: string, check: "quick" | "full"): number {
  return inKanalogFile(path, (client, version) => {
    const pragma = check === "full" ? "integrity_check" : "quick_check";
    const rows = client.pragma(`${pragma}(${DAMAGES_MAX})`) as Record<string, string>[];
    const damages = rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
    if (damages.length > 0) {
      throw new AppError(
        "conflict",
        message("databaseDamaged", { path, damages: damages.join("; ").replace(/\n/g, "; ") }),
      );
    }
    return version;
  });
}

/**
 * Checks that a file is a database of Kanalog before anything would write to it.
 * @throws AppError `conflict` if it is not, is of a program before the first release, or its header cannot
 * be read
 */
export function requireKanalogFile(path: string): void {
  inKanalogFile(path, () => undefined);
}

function inKanalogFile<T>(
  path: string,
  work: (client: BetterSqlite3.Database, version: number) => T,
): T {
  let client: BetterSqlite3.Database | null = null;
  try {
    client = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    const version = client.pragma("user_version", { simple: true }) as number;
    if (version < 1 || !hasMeta(client)) {
      throw new AppError("conflict", message("notOurDatabase", { path }));
    }
    requireReleased(path, version);
    return work(client, version);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "SQLITE_NOTADB") {
      throw new AppError("conflict", message("notDatabase", { path }));
    }
    const reason = whyRefused(path, error);
    throw new AppError("conflict", message("databaseUnreadable", { path, reason }), {
      cause: error,
    });
  } finally {
    client?.close();
  }
}

function hasMeta(client: BetterSqlite3.Database): boolean {
  const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'";
  const fact = "SELECT 1 FROM meta WHERE name = 'cursor_secret'";
  return client.prepare(table).get() !== undefined && client.prepare(fact).get() !== undefined;
}

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
  fs.mkdirSync(dirname(resolve(path)), { recursive: true });
  const aside = freeName(path + suffix);
  const keptAs = fs.existsSync(path) ? aside : null;
  const lock = keptAs === null ? null : lockDatabase(path);
  const draft = `${path}.restoring`;
  try {
    fs.rmSync(draft, { force: true });
    const { schemaVersion } = copyFile(file, draft, clock);
    giveToOwnerOf(keptAs === null ? dirname(resolve(path)) : path, draft);
    // Without a database there is no lock, and companions belong to one that is gone. A present database's
    // are checkpointed and removed by `lockDatabase`.
    for (const companion of lock === null ? COMPANIONS : []) {
      if (fs.existsSync(path + companion)) fs.renameSync(path + companion, aside + companion);
    }
    if (keptAs !== null) fs.linkSync(path, keptAs);
    fs.renameSync(draft, path);
    flush(dirname(resolve(path)));
    return { schemaVersion, keptAs };
  } finally {
    lock?.close();
    fs.rmSync(draft, { force: true });
  }
}

/** Finds a name that is free, because two restores may happen within the same second. */
function freeName(wanted: string): string {
  const isTaken = (name: string) => ["", ...COMPANIONS].some((end) => fs.existsSync(name + end));
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}

/** @throws AppError `conflict` if a process is using the database, `unavailable` if the disk refuses */
export function requireUnused(path: string): void {
  lockDatabase(realFile(path)).close();
}

/** @throws AppError `conflict` if the file is damaged, `unavailable` if the disk refuses */
export function isInUse(path: string): boolean {
  try {
    requireUnused(path);
    return false;
  } catch (error) {
    if (isBusy((error as AppError).cause)) return true;
    throw error;
  }
}

function requireOther(path: string, file: string): void {
  const [one, other] = [path, file].map((name) => fs.statSync(name, { throwIfNoEntry: false }));
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
    fs.rmSync(`${path}-shm`, { force: true });
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
