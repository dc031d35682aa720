import { closeSync, openSync, rmSync } from "node:fs";
import type { Database } from "../../db/database.ts";
import { openDatabase } from "../../db/open-database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ImportContext } from "./import-kind.ts";
import { type ImportKindName, importKinds } from "./import-kinds.ts";
import { saveProgress } from "./import-runs.store.ts";
import type { RunProgress } from "./import-runs.table.ts";
import { openInput, stoppable } from "./input.ts";
import { readThrough } from "./read-through.ts";
import { nothingRecognized } from "./recognized.ts";
import { createRejectsWriter } from "./rejects-writer.ts";
import { readRows } from "./rows.ts";
import { runImport } from "./run-import.ts";
import { cut, cutGroup } from "./tally.ts";

/** A file that was uploaded to be imported. Plain data, since it is sent to a thread. */
export interface Upload {
  /** Number of its run. */
  id: number;
  kind: ImportKindName;
  /** The file's name on the person's machine. */
  fileName: string;
  /** Where the uploaded file lies on this machine. */
  path: string;
  /** Where its rejected rows are kept, to be offered as a file. */
  rejectsPath: string;
  summary: RunProgress;
  /** One 32-bit number in shared memory: other than 0 where the import is to stop. */
  stop: SharedArrayBuffer;
}

/** Settings that an upload is imported by. */
type UploadSettings = Pick<ImportContext, "messengerHosts" | "openDays">;

const SAVE_EVERY_MS = 500;
/** How large the file of rejected rows may be; there is one for each of the latest runs. */
const REJECTS_BYTES_MAX = 16 * 1024 ** 2;
/** How many notes are recorded. */
const NOTES_MAX = 40;

/**
 * Imports an uploaded file and records how far it has come, every half second and at the end.
 * @throws AppError `invalid` for a file that cannot be read; `unavailable` where it is to stop
 */
export async function runUpload(
  db: Database,
  clock: Clock,
  upload: Upload & UploadSettings,
): Promise<void> {
  const { id, kind: name, path, rejectsPath, summary, messengerHosts, openDays } = upload;
  const { dryRun, replace, reading, timezone, strict } = summary.options;
  const save = () =>
    inTransaction(db, clock, "import-progress", (tx) => saveProgress(tx, { id, summary }));
  let saving: Promise<void> | null = null;
  let nextSaveAtMs = clock.monotonic() + SAVE_EVERY_MS;
  const saveSometimes = (): void => {
    if (saving !== null || clock.monotonic() < nextSaveAtMs) return;
    nextSaveAtMs = clock.monotonic() + SAVE_EVERY_MS;
    saving = save()
      // Where the storage is busy or full, the import itself meets that too, and says so.
      .catch(() => {})
      .finally(() => {
        saving = null;
      });
  };

  const rejects = createRejectsWriter(() => openSync(rejectsPath, "w", 0o600), REJECTS_BYTES_MAX);
  const copy = dryRun ? openCopy(db, `${path}-copy`, clock) : null;
  try {
    const input = stoppable({ ...(await openInput(path)), name: upload.fileName }, upload.stop);
    const highestNumber = await readThrough(input, name, reading);
    const recognized = nothingRecognized(timezone);
    const rows = readRows(input, name, reading, recognized, (bytes) => {
      summary.bytesRead = bytes;
    });
    await runImport(importKinds[name], rows, {
      db: copy?.db ?? db,
      clock,
      context: {
        clock,
        folder: null,
        messengerHosts,
        openDays,
        highestNumber,
        note(said) {
          if (summary.notes.length < NOTES_MAX) summary.notes.push(cut(said));
        },
      },
      recognized,
      cells: { timezone, strict },
      replace,
      onReject: rejects.add,
      onProgress: ({ rejects: rejected, warnings, ...counts }) => {
        Object.assign(summary, counts, {
          ...{ rejects: rejected.map(cutGroup), warnings: warnings.map(cutGroup) },
          rejectsKept: rejects.kept(),
        });
        saveSometimes();
      },
    });
  } finally {
    rejects.close();
    copy?.remove();
    await saving;
    await save();
  }
}

/** @param path a new file's, by whose name leftovers of an upload are known */
function openCopy(db: Database, path: string, clock: Clock): { db: Database; remove(): void } {
  const removeFiles = (): void => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  };
  try {
    // Owner only: sessions and mails are in it.
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
