import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { storageReason } from "../../errors.ts";

/**
 * Gives a file that root created to the user the appliance runs as, who must be able to open it.
 * @param owned a file or folder of that user
 */
export function giveToOwnerOf(owned: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = fs.statSync(owned);
  fs.chownSync(path, uid, gid);
}

/**
 * Explains why this process may not read and write a file or its folder: its owner or volume, and what to
 * do. Null if it may.
 */
export function deniedAccess(named: string): string | null {
  const path = realFile(named);
  const mine = process.getuid?.();
  const folder = dirname(resolve(path));
  for (const [place, access] of [
    [path, fs.constants.R_OK | fs.constants.W_OK],
    [folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK],
  ] as const) {
    const owner = statOf(place)?.uid;
    const denial = owner === undefined ? null : denialOf(place, access);
    if (denial === null) continue;
    if (denial === "EROFS") {
      return `${place} is on a volume that is mounted read-only: mount it so that it can be written`;
    }
    const who = `${place} belongs to user ${owner}, and this process runs as user ${mine}`;
    return owner === (mine ?? owner)
      ? `the rights of ${place} forbid it: give its owner the right to write (chmod)`
      : `${who}: run it as that user, or give the file and its folder to this one (chown)`;
  }
  return null;
}

function statOf(path: string): { uid: number } | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    // The folder cannot be entered, which the folder's own check reports.
    return undefined;
  }
}

/** The system's error code for a denied access; null if it is allowed. */
function denialOf(path: string, access: number): string | null {
  try {
    fs.accessSync(path, access);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

/**
 * The target of a symbolic link, even if it does not exist yet; any other path as it is. SQLite follows a
 * link when opening a file, so code that renames or creates files beside it must do the same.
 */
export function realFile(path: string): string {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  try {
    return fs.realpathSync(path);
  } catch {
    return resolve(dirname(path), fs.readlinkSync(path));
  }
}

const DENIED = /^(EACCES|EPERM|SQLITE_CANTOPEN|SQLITE_READONLY)/;
const NOT_OPENED = /^(ENAMETOOLONG|SQLITE_CANTOPEN)/;

/**
 * Explains to the operator why a database file could not be opened. SQLite uses one code for a path that is
 * too long, missing permissions and a failing disk, so the file itself is examined.
 */
export function whyRefused(path: string, cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  if (code === "ERR_DLOPEN_FAILED") {
    // The executable unpacks the driver into this folder.
    return `the database driver cannot be loaded from ${tmpdir()}: let TMPDIR name a folder that is there, may be written and is not mounted noexec (${cause.message})`;
  }
  if (isFolder(path)) return `it is a folder: name a file, such as ${join(path, "kanalog.db")}`;
  const found =
    (DENIED.test(code) ? deniedAccess(path) : null) ??
    (NOT_OPENED.test(code) ? tooLong(path) : null);
  return found ?? storageReason(cause) ?? cause.message;
}

/** The system allows 255 bytes; the names of files beside the database are up to 52 longer than its own. */
const NAME_BYTES_MAX = 200;
/** SQLite allows 512, including the suffixes it appends. */
const PATH_BYTES_MAX = 500;

function tooLong(named: string): string | null {
  const path = resolve(realFile(named));
  const nameBytes = Buffer.byteLength(basename(path));
  if (nameBytes > NAME_BYTES_MAX) {
    return `its name is too long with ${nameBytes} bytes: give it at most ${NAME_BYTES_MAX}, as other files get longer names after it`;
  }
  const pathBytes = Buffer.byteLength(path);
  return pathBytes > PATH_BYTES_MAX
    ? `its path is too long with ${pathBytes} bytes: at most ${PATH_BYTES_MAX} work`
    : null;
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false;
  }
}
