import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import type { Database } from "../database.ts";
import { requireReleased } from "../schema-version.ts";
import { whyRefused } from "./file-access.ts";

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
    const bytes = statSync(draft.path).size;
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
    mkdirSync(folder, { recursive: true });
    removeOldDrafts(folder, clock.now());
    const draftFolder = mkdtempSync(join(folder, DRAFT_PREFIX));
    return {
      path: join(draftFolder, "copy"),
      remove: () => rmSync(draftFolder, { recursive: true, force: true }),
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
  chmodSync(draft, 0o600);
  flush(draft);
  requireAbsent(path);
  renameSync(draft, path);
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
  if (existsSync(path)) throw new AppError("conflict", message("fileExists", { path }));
}

function removeOldDrafts(folder: string, nowMs: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const draft = join(folder, name);
    const changedAt = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (changedAt < nowMs - DRAFT_LEASE_MS) rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Waits until a file, or a folder's entries, are on the disk. Does nothing for a folder on Windows, which
 * cannot.
 */
export function flush(path: string): void {
  if (process.platform === "win32" && statSync(path).isDirectory()) return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
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
