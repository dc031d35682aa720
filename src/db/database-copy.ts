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
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";
import type { Database } from "./database.ts";
import { requireSoundFile } from "./database-file.ts";

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
  const folder = dirname(resolve(path));
  let draftFolder: string | null = null;
  try {
    mkdirSync(folder, { recursive: true });
    removeOldDrafts(folder, clock.now());
    draftFolder = mkdtempSync(join(folder, DRAFT_PREFIX));
    const draft = join(draftFolder, "copy.db");
    db.copyTo(draft);
    chmodSync(draft, 0o600);
    flush(draft);
    const schemaVersion = requireSoundFile(draft, "quick");
    const bytes = statSync(draft).size;
    requireAbsent(path);
    renameSync(draft, path);
    flush(folder);
    return { path, bytes, schemaVersion };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", message("copyFailed", { path, reason }), { cause });
  } finally {
    if (draftFolder !== null) rmSync(draftFolder, { recursive: true, force: true });
  }
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
