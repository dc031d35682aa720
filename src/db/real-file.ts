import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * The target of a symbolic link, even if it does not exist yet; any other path as it is. SQLite follows a
 * link when opening a file, so code that renames or creates files beside it must do the same.
 */
export function realFile(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  try {
    return realpathSync(path);
  } catch {
    return resolve(dirname(path), readlinkSync(path));
  }
}
