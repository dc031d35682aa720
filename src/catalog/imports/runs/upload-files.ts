import { readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { IN_MEMORY } from "../../../db/open-database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/random.ts";
import { isRunning } from "../../../ports/running.ts";

export type UploadFiles = ReturnType<typeof createUploadFiles>;

export const UPLOAD_BYTES_MAX = 2 * 1024 ** 3;
/** Enough for an upload of 2 GiB at 5 megabits a second. */
export const UPLOAD_MAX_S = 60 * 60;
const NAME_LENGTH_MAX = 200;

/** Latest runs whose rejected rows are kept. */
const REJECTS_OF_RUNS = 10;

/**
 * Uploaded files on their way into the database. They are stored beside it, where there is room, and their
 * names tell which process they belong to.
 */
export function createUploadFiles(
  databasePath: string,
  { clock, random }: { clock: Clock; random: Random },
) {
  const isInMemory = databasePath === IN_MEMORY;
  const folder = isInMemory ? tmpdir() : dirname(resolve(databasePath));
  const prefix = `${isInMemory ? "kanalog" : basename(databasePath)}.upload-`;
  /** With an in-memory database, every process numbers its runs from 1. */
  const rejectsPrefix = isInMemory
    ? `kanalog.rejects-${process.pid}-${random.uuid(clock.now())}-`
    : `${basename(databasePath)}.rejects-`;
  const newPath = (): string => join(folder, `${prefix}${process.pid}-${random.uuid(clock.now())}`);
  return {
    newPath,

    /** Takes over a file that its creator would otherwise remove. @returns its new path */
    take(path: string): string {
      const taken = newPath();
      renameSync(path, taken);
      return taken;
    },

    rejectsPath: (run: number): string => join(folder, `${rejectsPrefix}${run}`),

    /** Removes the files of rejected rows of all but the latest runs. Never throws, like `remove`. */
    removeRejects(latestRun: number): void {
      for (const name of namesIn(folder, rejectsPrefix)) {
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

    /** Called when the process ends: the runs of an in-memory database end with it. */
    removeOfMemory(): void {
      if (isInMemory) this.removeRejects(0);
    },

    /**
     * Removes leftovers of processes that are gone, and of one with this process's id: in a container, each
     * start may get the same id.
     */
    removeLeftovers(): void {
      if (isInMemory) return;
      for (const name of namesIn(folder, prefix)) {
        const processId = Number.parseInt(name.slice(prefix.length), 10);
        if (processId === process.pid || !isRunning(processId)) {
          rmSync(join(folder, name), { force: true });
        }
      }
    },
  };
}

/** Names of files in a folder; none if it cannot be read. */
function namesIn(folder: string, prefix: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

/** A file's name as it is shown: people may name files anything. */
export function shownFileName(name: string): string {
  const plain = name.replace(/\p{Cc}|\p{Bidi_Control}/gu, "");
  return [...plain].slice(0, NAME_LENGTH_MAX).join("");
}
