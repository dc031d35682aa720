import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import type { ImportRunChanges } from "./import-run-changes.ts";
import { selectRunning } from "./import-runs.store.ts";
import type { Upload } from "./run-upload.ts";
import type { UploadFiles } from "./upload-files.ts";

export interface ImportParts {
  /** Where runs are read. */
  db: Database;
  /** Changes of runs, on a connection that writes. */
  changes: ImportRunChanges;
  /** Runs one on a thread of its own, which has one at a time. */
  runUpload(upload: Upload): Promise<void>;
  files: UploadFiles;
}

/** Told in place of a cause that means nothing to the person who uploads. */
const FAILED = message("importFailed");

/** Between two looks whether it is a run's turn. */
const TURN_LOOK_MS = 500;

/**
 * Runs of this process: each waits for its turn, is imported, and its end is noted.
 * @param owner name of this process
 */
export function createImportQueue(
  { db, changes, runUpload, files }: ImportParts,
  owner: string,
  { clock, log }: { clock: Clock; log: Log },
) {
  /** Shared with the thread that imports. */
  const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const underWay = new Set<Promise<void>>();

  /** Waits for runs of other processes that were started before; one that is gone is ended elsewhere. */
  async function turn(id: number): Promise<void> {
    for (;;) {
      const isStopped = Atomics.load(new Int32Array(stop), 0) === 1;
      const earlier = (await selectRunning(db)).filter((run) => run.id < id);
      if (isStopped || earlier.every((run) => run.owner === owner)) return;
      await clock.sleep(TURN_LOOK_MS);
    }
  }

  async function run(upload: Upload): Promise<void> {
    let failure: Message | null = null;
    try {
      await turn(upload.id);
      await runUpload(upload);
    } catch (error) {
      failure = failureOf(error);
      if (failure === FAILED) log.error({ err: error, run: upload.id }, "an import failed");
    }
    files.remove(upload.path);
    try {
      await changes.endImport(upload.id, failure);
    } catch (error) {
      log.error({ err: error, run: upload.id }, "the end of an import could not be recorded");
    }
  }

  return {
    start(upload: Omit<Upload, "stop">): void {
      const running = run({ ...upload, stop });
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    },

    /** Ends what is under way after its next rows, and what waits for its turn. */
    async stop(): Promise<void> {
      Atomics.store(new Int32Array(stop), 0, 1);
      // A request that was being read may start one more meanwhile.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function failureOf(error: unknown): Message {
  return error instanceof AppError && error.code !== "internal" ? error.said : FAILED;
}
