import { readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { IN_MEMORY } from "../../../db/open-database.ts";
import { notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/ports.ts";
import { isRunning } from "../../../ports/system.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { openInput } from "../reading/input.ts";
import { type InputRow, nothingRecognized, type Recognized } from "../reading/recognized.ts";
import { readRows } from "../reading/rows.ts";
import type { UploadOptions } from "../writing/write-rows.ts";

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

export interface NewUpload {
  kind: ImportKindName;
  file: { name: string; path: string; bytes: number };
  options: UploadOptions;
}

export interface UploadPreview {
  recognized: Recognized;
  rows: InputRow[];
}

const ROWS_SHOWN = 10;
/** How long to keep an upload that nobody starts; if there are too many, the oldest is removed. */
const HELD_MS = 60 * 60 * 1000;
const HELD_MAX = 10;

/** Uploads held by other workers of the appliance; their files are on the same disk. */
export interface UploadsOfOthers {
  /** Null if none of them holds it. */
  find(token: string): Promise<NewUpload | null>;
  /** As `find`, and its holder forgets it. */
  release(token: string): Promise<NewUpload | null>;
}

const NO_OTHERS: UploadsOfOthers = { find: async () => null, release: async () => null };

/** Uploaded files that somebody reviews before importing them. They are removed when the process ends. */
export function createHeldUploads(
  files: UploadFiles,
  { clock, random }: { clock: Clock; random: Random },
  others: UploadsOfOthers = NO_OTHERS,
) {
  const held = new Map<string, NewUpload & { sinceMs: number }>();

  const findOwn = (token: string): NewUpload | null => held.get(token) ?? null;

  /** An upload, whichever worker holds it. @throws AppError `not_found` */
  async function find(token: string): Promise<NewUpload> {
    const upload = findOwn(token) ?? (await others.find(token));
    if (upload === null) throw notFound("object");
    return upload;
  }

  function remove(token: string): void {
    const upload = held.get(token);
    held.delete(token);
    if (upload !== undefined) files.remove(upload.file.path);
  }

  return {
    /**
     * Takes over a file and keeps it until it is started.
     * @returns a token for finding it
     * @throws AppError `invalid` for a file that cannot be imported, which is then not kept
     */
    async hold({ file, ...upload }: NewUpload): Promise<string> {
      const token = random.uuid(clock.now());
      const path = files.take(file.path);
      const taken = { ...upload, file: { ...file, path } };
      held.set(token, { ...taken, sinceMs: clock.monotonic() });
      try {
        await readPreview(taken);
      } catch (error) {
        remove(token);
        throw error;
      }
      for (const oldest of [...held.keys()].slice(0, -HELD_MAX)) remove(oldest);
      return token;
    },

    findOwn,
    find,

    /** @throws AppError `not_found`, `invalid` */
    preview: async (token: string): Promise<UploadPreview> => readPreview(await find(token)),

    /** Releases an upload of this process for import, which is possible once. Null if it has none. */
    releaseOwn(token: string): NewUpload | null {
      const upload = findOwn(token);
      held.delete(token);
      return upload;
    },

    /** An upload, whichever worker holds it. @throws AppError `not_found` */
    async release(token: string): Promise<NewUpload> {
      const upload = this.releaseOwn(token) ?? (await others.release(token));
      if (upload === null) throw notFound("object");
      return upload;
    },

    removeOld(): void {
      const nowMs = clock.monotonic();
      for (const [token, { sinceMs }] of held) if (nowMs - sinceMs > HELD_MS) remove(token);
    },

    removeAll(): void {
      for (const token of held.keys()) remove(token);
    },
  };
}

/** @throws AppError `invalid` */
async function readPreview({ kind, file, options }: NewUpload): Promise<UploadPreview> {
  const recognized = nothingRecognized(options.timezone);
  const input = { ...(await openInput(file.path)), name: file.name };
  const rows: InputRow[] = [];
  for await (const some of readRows(input, kind, options.reading, recognized)) {
    rows.push(...some.slice(0, ROWS_SHOWN - rows.length));
    if (rows.length === ROWS_SHOWN) break;
  }
  return { recognized, rows };
}
