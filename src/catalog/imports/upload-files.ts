import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { IN_MEMORY } from "../../db/open-database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Random } from "../../ports/random.ts";
import { isRunning } from "../../ports/running.ts";

export type UploadFiles = ReturnType<typeof createUploadFiles>;

/** Rejected rows are kept for so many of the latest runs. */
const REJECTS_OF_RUNS = 10;

/**
 * Uploaded files on their way into the database. They lie beside it, where there is room for them, and
 * their names tell which process they belong to.
 */
export function createUploadFiles(
  databasePath: string,
  { clock, random }: { clock: Clock; random: Random },
) {
  const isInMemory = databasePath === IN_MEMORY;
  const folder = isInMemory ? tmpdir() : dirname(resolve(databasePath));
  const prefix = `${isInMemory ? "kanalog" : basename(databasePath)}.upload-`;
  /** A database in memory numbers its runs from 1 in each process. */
  const rejectsPrefix = isInMemory
    ? `kanalog.rejects-${process.pid}-${random.uuid(clock.now())}-`
    : `${basename(databasePath)}.rejects-`;
  const newPath = (): string => join(folder, `${prefix}${process.pid}-${random.uuid(clock.now())}`);
  return {
    /** A path for a new file. */
    newPath,

    /** Takes over a file, which its maker would otherwise remove. @returns its new path */
    take(path: string): string {
      const taken = newPath();
      renameSync(path, taken);
      return taken;
    },

    /** Where the rejected rows of a run are kept. */
    rejectsPath: (run: number): string => join(folder, `${rejectsPrefix}${run}`),

    /** Removes the rejected rows of all runs but the latest. Never throws, as below. */
    removeRejects(latestRun: number): void {
      if (!existsSync(folder)) return;
      for (const name of readdirSync(folder).filter((name) => name.startsWith(rejectsPrefix))) {
        const run = Number(name.slice(rejectsPrefix.length));
        const isKept = run <= latestRun && run > latestRun - REJECTS_OF_RUNS;
        if (!isKept) this.remove(join(folder, name));
      }
    },

    /** Never throws: a file that read-only storage keeps is removed as a leftover at the next start. */
    remove(path: string): void {
      try {
        rmSync(path, { force: true });
      } catch {}
    },

    /** At the end of the process: a database in memory has no runs any more. */
    removeOfMemory(): void {
      if (isInMemory) this.removeRejects(0);
    },

    /** Leftovers of processes that are gone. In a container each process may have the same number. */
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
