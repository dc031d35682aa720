import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { storageReason } from "../errors.ts";
import { deniedAccess } from "./file-owner.ts";
import { realFile } from "./real-file.ts";

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
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
