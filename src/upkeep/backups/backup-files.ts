import { accessSync, constants, mkdirSync, readdirSync, rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileStamp } from "../../values/moscow-time.ts";

/** Where the daily backups of a database lie. */
export interface BackupPlace {
  folder: string;
  /** Beginning of the names, which tells apart the files of several databases in one folder. */
  name: string;
}

/** A daily backup that lies in its folder. */
export interface BackupFile {
  path: string;
  bytes: number;
  /** When it was finished. */
  madeAt: number;
}

export function backupPlace(folder: string, databasePath: string): BackupPlace {
  return { folder, name: basename(databasePath, extname(databasePath)).replace(/^:.*/, "kanalog") };
}

/** Makes the folder where it is missing. @throws Error where it is none, or may not be written */
export function makeBackupFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** `kanalog-2026-11-20T04-00-00.db`: in the order of their names they are in the order of time. */
export function backupPath({ folder, name }: BackupPlace, instantMs: number): string {
  return join(folder, `${name}-${fileStamp(instantMs)}.db`);
}

/** Characters of a day, such as `2026-11-20`. */
const DAY_LENGTH = 10;
const STAMP_END = /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.db$/;

/**
 * Names of the place's own files, the latest first: all else in the folder is somebody's. One of a later
 * day, made while the clock was wrong, is left out: it would be the latest for years.
 */
function ownNames(names: readonly string[], { name }: BackupPlace, nowMs: number): string[] {
  const latest = `-${fileStamp(nowMs).slice(0, DAY_LENGTH)}`;
  const own = names.filter((file) => {
    const end = file.startsWith(name) ? file.slice(name.length) : "";
    return STAMP_END.test(end) && end.slice(0, latest.length) <= latest;
  });
  return own.sort().reverse();
}

/** Removes the oldest backups. */
export function pruneBackups(place: BackupPlace, kept: number, nowMs: number): void {
  for (const file of ownNames(readdirSync(place.folder), place, nowMs).slice(kept)) {
    rmSync(join(place.folder, file));
  }
}

/** Null where there is none yet, or the folder cannot be read. Never blocks: it may be a network's. */
export async function findLastBackup(
  place: BackupPlace,
  nowMs: number,
): Promise<BackupFile | null> {
  try {
    const [file] = ownNames(await readdir(place.folder), place, nowMs);
    if (file === undefined) return null;
    const path = join(place.folder, file);
    const { size, mtimeMs } = await stat(path);
    return { path, bytes: size, madeAt: mtimeMs };
  } catch {
    return null;
  }
}
