import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { IN_MEMORY } from "../../db/open-database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Random } from "../../ports/random.ts";
import { isRunning } from "../../ports/running.ts";

export type UploadFiles = ReturnType<typeof createUploadFiles>;

/**
 * Files on their way into the database: beside it, where there is room for them, each of them known
 * by its name to be one of this process.
 */
export function createUploadFiles(
  databasePath: string,
  { clock, random }: { clock: Clock; random: Random },
) {
  const isInMemory = databasePath === IN_MEMORY;
  const folder = isInMemory ? tmpdir() : dirname(resolve(databasePath));
  const prefix = `${isInMemory ? "kanalog" : basename(databasePath)}.upload-`;
  const newPath = (): string => join(folder, `${prefix}${process.pid}-${random.uuid(clock.now())}`);
  return {
    /** Of a file that is not there yet. */
    newPath,

    /** Takes a file from who made it and would remove it. @returns its new path */
    take(path: string): string {
      const taken = newPath();
      renameSync(path, taken);
      return taken;
    },

    /** Never throws: what storage that takes no writes keeps is a leftover at the next start. */
    remove(path: string): void {
      try {
        rmSync(path, { force: true });
      } catch {}
    },

    /** What processes left behind that are gone. A container's processes have the same number. */
    removeLeftovers(): void {
      if (isInMemory || !existsSync(folder)) return;
      for (const name of readdirSync(folder).filter((name) => name.startsWith(prefix))) {
        const processId = Number.parseInt(name.slice(prefix.length), 10);
        if (processId === process.pid || !isRunning(processId)) {
          rmSync(join(folder, name), { force: true });
        }
      }
    },
  };
}
