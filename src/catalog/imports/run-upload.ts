import { closeSync, openSync, rmSync } from "node:fs";
import type { Database } from "../../db/database.ts";
import { openDatabase } from "../../db/open-database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { inEnglish, type Message, message, verbatim } from "../../values/messages/messages.ts";
import { shortened } from "../../values/shortened.ts";
import type { ImportContext } from "./import-kind.ts";
import { type ImportKindName, importKinds } from "./import-kinds.ts";
import { saveProgress } from "./import-runs.store.ts";
import type { RunProgress, ShownReject } from "./import-runs.table.ts";
import { formatOf, readRows } from "./rows.ts";
import { type Reject, runImport } from "./run-import.ts";
import { openSource, requireUtf8, type Source } from "./source.ts";

/** A file that was uploaded to be imported. Plain data, since it is sent to a thread. */
export interface Upload {
  /** Number of its run. */
  id: number;
  kind: ImportKindName;
  /** The file's name on the person's machine. */
  fileName: string;
  /** Where the uploaded file lies on this machine. */
  path: string;
  summary: RunProgress;
  /** One 32-bit number in shared memory: other than 0 where the import is to stop. */
  stop: SharedArrayBuffer;
}

/** Settings that an upload is imported by. */
export type UploadSettings = Pick<ImportContext, "messengerHosts" | "openDays">;

/** Recorded as the failure of a run that was cut short. */
export const INTERRUPTED = message("importInterrupted");

const SAVE_EVERY_MS = 500;
/** How many rejected rows and notes are recorded, and how long the text of each may be. */
const REJECTS_MAX = 100;
const NOTES_MAX = 40;
const TEXT_LENGTH_MAX = 500;

/**
 * Imports an uploaded file and records how far it has come, every half second and at the end.
 * @throws AppError `invalid` for a file that cannot be read; `unavailable` where it is to stop
 */
export async function runUpload(
  db: Database,
  clock: Clock,
  {
    id,
    kind: name,
    fileName,
    path,
    summary,
    stop,
    messengerHosts,
    openDays,
  }: Upload & UploadSettings,
): Promise<void> {
  const kind = importKinds[name];
  const rejects: ShownReject[] = [];
  const save = () =>
    inTransaction(db, clock, "import-progress", (tx) => saveProgress(tx, { id, summary, rejects }));
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

  const { dryRun, replace } = summary.options;
  const copy = dryRun ? openCopy(db, `${path}-copy`, clock) : null;
  try {
    const source = stoppable({ ...(await openSource(path)), name: fileName }, stop);
    await requireUtf8(source);
    const rows = readRows(source, formatOf(fileName), Object.keys(kind.columns), (bytes) => {
      summary.bytesRead = bytes;
    });
    await runImport(kind, rows, {
      db: copy?.db ?? db,
      clock,
      context: {
        clock,
        folder: null,
        messengerHosts,
        openDays,
        note: (said) => addUpTo(NOTES_MAX, summary.notes, cut(said)),
      },
      replace,
      onReject: (reject) => addUpTo(REJECTS_MAX, rejects, shown(reject)),
      onProgress: (rowsSoFar) => {
        Object.assign(summary, rowsSoFar);
        saveSometimes();
      },
    });
  } finally {
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

/** A source that breaks off once its import is to stop. */
function stoppable(source: Source, stop: SharedArrayBuffer): Source {
  const flag = new Int32Array(stop);
  return {
    ...source,
    async *open() {
      for await (const chunk of source.open()) {
        if (Atomics.load(flag, 0) !== 0) throw new AppError("unavailable", INTERRUPTED);
        yield chunk;
      }
    },
  };
}

function addUpTo<Item>(count: number, list: Item[], item: Item): void {
  if (list.length < count) list.push(item);
}

function shown({ line, column, fault }: Reject): ShownReject {
  return { line, column, fault: cut(fault) };
}

/** A message may quote a cell, which may be of any length. */
function cut(said: Message): Message {
  const text = inEnglish(said);
  return text.length <= TEXT_LENGTH_MAX ? said : verbatim(shortened(text, TEXT_LENGTH_MAX));
}
