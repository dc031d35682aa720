import { closeSync, openSync, rmSync } from "node:fs";
import type { Database } from "../../../db/database.ts";
import { TURNS_ENDING } from "../../../db/lock.ts";
import { openDatabase } from "../../../db/open-database.ts";
import { type Fault, toFault } from "../../../db/threads/thread-pool.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import type { ImportContext } from "../kinds/import-kind.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { openInput, stoppable } from "../reading/input.ts";
import { cut, cutGroup, isHopeless } from "../writing/import-summary.ts";
import { openImport } from "../writing/open-import.ts";
import { createRejectsWriter, type RejectsWriter } from "../writing/write-rows.ts";
import { type RunProgress, saveProgress } from "./import-runs.store.ts";

/** An uploaded file to import. Plain data, because it is sent to a thread. */
export interface Upload {
  id: number;
  kind: ImportKindName;
  fileName: string;
  path: string;
  rejectsPath: string;
  summary: RunProgress;
  /** A 32-bit number in shared memory, non-zero to stop the import. */
  stop: SharedArrayBuffer;
}

type UploadSettings = Pick<ImportContext, "messengerHosts" | "openDays">;

const SAVE_EVERY_MS = 500;
/** Size limit for the file of rejected rows, of which each of the latest runs has one. */
const REJECTS_BYTES_MAX = 16 * 1024 ** 2;
const NOTES_MAX = 40;

/**
 * Imports an uploaded file and records its progress every half second and at the end. Never throws.
 * @returns what went wrong, the import's own fault first: `invalid` for a file that cannot be read,
 * `unavailable` if `stop` was set; empty if nothing did
 */
export async function runUpload(
  db: Database,
  clock: Clock,
  upload: Upload & UploadSettings,
): Promise<Fault[]> {
  const progress = createProgressSaver(db, clock, upload);
  const rejects = createRejectsWriter(
    () => openSync(upload.rejectsPath, "w", 0o600),
    REJECTS_BYTES_MAX,
  );
  const faults: Fault[] = [];
  const attempt = async (step: () => Promise<void> | void): Promise<void> => {
    try {
      await step();
    } catch (error) {
      faults.push(toFault(error));
    }
  };
  await attempt(() => importUpload(db, clock, upload, { progress, rejects }));
  await attempt(rejects.close);
  await attempt(progress.saveLast);
  return faults;
}

async function importUpload(
  db: Database,
  clock: Clock,
  upload: Upload & UploadSettings,
  { progress, rejects }: { progress: ProgressSaver; rejects: RejectsWriter },
): Promise<void> {
  const { kind: name, path, summary, messengerHosts, openDays } = upload;
  const { options } = summary;
  const { dryRun, replace } = options;
  const copy = dryRun ? openCopy(db, `${path}-copy`, clock) : null;
  try {
    const input = stoppable({ ...(await openInput(path)), name: upload.fileName }, upload.stop);
    const importIt = await openImport(input, name, options, messengerHosts);
    const imported = await importIt({
      db: copy?.db ?? db,
      clock,
      onBytes(bytes) {
        summary.bytesRead = bytes;
      },
      context: {
        folder: null,
        openDays,
        note(report) {
          if (summary.notes.length < NOTES_MAX) summary.notes.push(cut(report));
        },
      },
      replace,
      onReject: rejects.add,
      onProgress: ({ rejects: rejected, warnings, ...counts }) => {
        Object.assign(summary, counts, {
          rejects: rejected.map(cutGroup),
          warnings: warnings.map(cutGroup),
          rejectsKept: rejects.kept(),
        });
        progress.changed();
      },
    });
    if (isHopeless(imported)) {
      throw new AppError("invalid", message("firstRowsRejected", { rows: imported.read }));
    }
  } finally {
    copy?.remove();
  }
}

type ProgressSaver = ReturnType<typeof createProgressSaver>;

/** Saves a run's progress: every half second while it changes, and at the end. */
function createProgressSaver(db: Database, clock: Clock, { id, summary }: Upload) {
  const save = () =>
    inTransaction(db, clock, "import-progress", (tx) => saveProgress(tx, { id, summary }));
  let saving: Promise<void> | null = null;
  let nextSaveAtMs = clock.monotonic() + SAVE_EVERY_MS;
  return {
    changed(): void {
      if (saving !== null || clock.monotonic() < nextSaveAtMs) return;
      nextSaveAtMs = clock.monotonic() + SAVE_EVERY_MS;
      saving = save()
        // If the storage is busy or full, the import itself will meet and report that.
        .catch(() => {})
        .finally(() => {
          saving = null;
        });
    },

    async saveLast(): Promise<void> {
      await saving;
      await save();
    },
  };
}

/**
 * Copies the database, for a trial run.
 * @param path of a new file, named like the upload so that leftovers of both are removed at a start
 */
function openCopy(db: Database, path: string, clock: Clock): { db: Database; remove(): void } {
  // Never throws, so that the import's own error is not hidden.
  const removeFiles = (): void => {
    for (const suffix of ["", "-wal", "-shm", TURNS_ENDING]) {
      try {
        rmSync(path + suffix, { force: true });
      } catch {}
    }
  };
  try {
    // Readable by its owner only, because it contains sessions and mails.
    closeSync(openSync(path, "wx", 0o600));
    db.copyTo(path);
    const copy = openDatabase(path, clock);
    return {
      db: copy,
      remove() {
        copy.close();
        removeFiles();
      },
    };
  } catch (error) {
    removeFiles();
    throw error;
  }
}
