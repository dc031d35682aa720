import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * The file that a path leads to where it is a symbolic link, which may have none yet; else the path as it
 * is. SQLite follows the link as it opens the file; what renames or makes files beside it must too.
 */
export function realFile(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  try {
    return realpathSync(path);
  } catch {
    return resolve(dirname(path), readlinkSync(path));
  }
}
