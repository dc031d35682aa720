import { readBackup } from "../../src/upkeep/backups/backup-format.ts";
import { unpackPages } from "../../src/upkeep/backups/page-backup.ts";

/** Writes the database of a folder's backup into a new file. */
export function unpackBackup(path: string, target: string): void {
  const backup = readBackup(path);
  if (backup === null) throw new Error(`${path} is no backup of a folder`);
  unpackPages(backup, target);
}
