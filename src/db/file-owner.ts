import { accessSync, chownSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { realFile } from "./real-file.ts";

/**
 * Gives a file that root created to the user the appliance runs as, who must be able to open it.
 * @param owned a file or folder of that user
 */
export function giveToOwnerOf(owned: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(owned);
  chownSync(path, uid, gid);
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
    [path, constants.R_OK | constants.W_OK],
    [folder, constants.R_OK | constants.W_OK | constants.X_OK],
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
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The folder cannot be entered, which the folder's own check reports.
    return undefined;
  }
}

/** The system's error code for a denied access; null if it is allowed. */
function denialOf(path: string, access: number): string | null {
  try {
    accessSync(path, access);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}
