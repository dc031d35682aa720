import * as fs from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import type { Database } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError, toAppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { mailStaff, noticeMail } from "../../push/mail/notices.ts";
import { message } from "../../values/messages/messages.ts";
import { fileStamp, formatInstant } from "../../values/moscow-time.ts";
import { BACKUP_ENDING, backupHead } from "./backup-format.ts";
import { type PageCopy, removeUnneededPacks, writePages } from "./page-backup.ts";

/** Where a database's backups are stored. */
export interface BackupPlace {
  folder: string;
  /** Prefix of the file names, so that several databases can share a folder. */
  name: string;
}

/** A backup in its folder. */
export interface BackupFile {
  path: string;
  /** Size of the database; what a backup takes is less, since backups share what is the same in them. */
  bytes: number;
  /** When it was completed. */
  madeAt: number;
}

/** The place of a database's backups, which are named after its file. */
export function backupPlace(folder: string, databasePath: string): BackupPlace {
  return { folder, name: basename(databasePath, extname(databasePath)).replace(/^:.*/, "kanalog") };
}

/** Creates the folder if it is missing. @throws Error if it is not a folder or not writable */
export function makeBackupFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
}

/** `kanalog-2026-11-20T04-00-00.backup`: sorting by name sorts by time. */
function backupPath({ folder, name }: BackupPlace, instantMs: number): string {
  return join(folder, `${name}-${fileStamp(instantMs)}${BACKUP_ENDING}`);
}

/** Length of a day such as `2026-11-20`. */
const DAY_LENGTH = 10;
const STAMP_LENGTH = "-2026-11-20T04-00-00.backup".length;
const STAMP_END = /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.backup$/;

/**
 * Names of this place's backups, latest first; everything else in the folder belongs to somebody else. A
 * backup dated in the future, made while the clock was wrong, is ignored: it would count as the latest for
 * years.
 */
function ownNames(names: readonly string[], { name }: BackupPlace, nowMs: number): string[] {
  const latest = `-${fileStamp(nowMs).slice(0, DAY_LENGTH)}`;
  const own = names.filter((file) => {
    const end = file.startsWith(name) ? file.slice(name.length) : "";
    return STAMP_END.test(end) && end.slice(0, latest.length) <= latest;
  });
  return own.sort().reverse();
}

/**
 * The path itself, or of a folder the latest backup in it, whose database may be named otherwise than here.
 * @throws AppError `conflict` if the folder has no backup, or those of several databases
 */
export function backupAt(path: string): string {
  if (!fs.existsSync(path) || !fs.statSync(path).isDirectory()) return path;
  const files = fs.readdirSync(path).filter((file) => STAMP_END.test(file.slice(-STAMP_LENGTH)));
  const names = new Set(files.map((file) => file.slice(0, -STAMP_LENGTH)));
  const [latest] = files.sort().reverse();
  if (latest === undefined || names.size > 1) {
    throw new AppError(
      "conflict",
      message("notOneBackup", { folder: path, databases: names.size }),
    );
  }
  return join(path, latest);
}

/** Removes all but the `kept` latest backups, and what only they needed. */
function pruneBackups(place: BackupPlace, kept: number, nowMs: number): void {
  for (const file of ownNames(fs.readdirSync(place.folder), place, nowMs).slice(kept)) {
    fs.rmSync(join(place.folder, file), { force: true });
  }
  removeUnneededPacks(place.folder, nowMs);
}

/**
 * All backups, latest first. Never blocks, because it may be a network folder.
 * @throws AppError `unavailable` if the folder cannot be read
 */
export async function findBackups(place: BackupPlace, nowMs: number): Promise<BackupFile[]> {
  const { folder } = place;
  try {
    const names = ownNames(await readdir(folder), place, nowMs);
    return await Promise.all(names.map((name) => backupFile(join(folder, name))));
  } catch (cause) {
    throw new AppError("unavailable", message("backupsUnreadable", { folder }), { cause });
  }
}

async function backupFile(path: string): Promise<BackupFile> {
  const [{ mtimeMs }, head] = await Promise.all([stat(path), backupHead(path)]);
  return { path, bytes: head?.bytes ?? 0, madeAt: mtimeMs };
}

/**
 * The latest backup; null if there is none yet, or the folder cannot be read. Never blocks, because it may
 * be a network folder.
 */
export async function findLastBackup(
  place: BackupPlace,
  nowMs: number,
): Promise<BackupFile | null> {
  try {
    const [file] = ownNames(await readdir(place.folder), place, nowMs);
    return file === undefined ? null : await backupFile(join(place.folder, file));
  } catch {
    return null;
  }
}

export interface BackupPlan {
  place: BackupPlace;
  /** Number of backups to keep. */
  kept: number;
}

/**
 * Writes a backup into its folder and removes the oldest ones; if it fails, nothing is removed.
 * @throws AppError as `writePages`
 */
export async function backUp(
  db: Database,
  clock: Clock,
  { place, kept }: BackupPlan,
): Promise<PageCopy> {
  const { folder } = place;
  const [before] = fs.existsSync(folder)
    ? ownNames(fs.readdirSync(folder), place, clock.now())
    : [];
  const path = backupPath(place, clock.now());
  const copy = await writePages(
    db,
    path,
    before === undefined ? null : join(folder, before),
    clock,
  );
  pruneBackups(place, kept, clock.now());
  return copy;
}

/** The daily backup. If it fails, a mail to staff is queued. @throws AppError as `backUp` */
export async function backUpDaily(db: Database, clock: Clock, plan: BackupPlan): Promise<PageCopy> {
  try {
    return await backUp(db, clock, plan);
  } catch (error) {
    const reason = error instanceof AppError ? error.detail : String(error);
    await tellStaff(db, clock, plan.place, reason).catch((cause) => {
      const mail = toAppError(cause).detail;
      throw new AppError("unavailable", message("cannotTellStaff", { reason, mail }), {
        cause: error,
      });
    });
    throw error;
  }
}

const tellStaff = transaction(
  "backup-mail",
  async (tx, clock, place: BackupPlace, reason: string) => {
    const now = clock.now();
    const mail = noticeMail(message("backupFailedSubject"), message("backupFailedMail"), [
      [message("folder"), place.folder],
      [message("time"), formatInstant(now)],
      [message("reason"), reason],
    ]);
    await mailStaff(tx, now, mail);
    await tellOperator(tx, now, "backup.failed", { folder: place.folder, reason });
  },
);
