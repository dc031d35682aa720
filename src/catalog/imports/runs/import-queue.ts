import type { Database } from "../../../db/database.ts";
import { withDeadline } from "../../../db/deadline.ts";
import { type Fault, fromFault } from "../../../db/threads/thread-pool.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import { FILE_MAX_MS } from "../../../ports/own-work.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { sharedStop } from "../reading/input.ts";
import type { ImportRunChanges } from "./import-run-changes.ts";
import { selectRunning } from "./import-runs.store.ts";
import type { Upload } from "./run-upload.ts";
import type { UploadFiles } from "./upload-files.ts";

export interface ImportParts {
  db: Database;
  changes: ImportRunChanges;
  /** Imports an upload on its own thread, one at a time. @returns what went wrong, see `runUpload` */
  runUpload(upload: Upload): Promise<Fault[]>;
  files: UploadFiles;
}

type NewUpload = Omit<Upload, "stop">;

/** Shown instead of a cause that would mean nothing to the person who uploads. */
const FAILED = message("importFailed");

const TURN_LOOK_MS = 500;

/**
 * Runs of this process: each waits for its turn, is imported, and has its end recorded.
 * @param owner name of this process
 */
export function createImportQueue(
  { db, changes, runUpload, files }: ImportParts,
  owner: string,
  { clock, log }: { clock: Clock; log: Log },
) {
  const stopping = new AbortController();
  const underWay = new Map<number, Promise<void>>();

  /** Waits for earlier runs of other processes; runs whose process is gone are ended elsewhere. */
  async function turn(id: number): Promise<void> {
    for (;;) {
      const earlier = (await selectRunning(db)).filter((run) => run.id < id);
      if (stopping.signal.aborted || earlier.every((run) => run.owner === owner)) return;
      await clock.sleep(TURN_LOOK_MS);
    }
  }

  /** Ends with a fault after an hour: what was read until then stays. */
  function inTime(upload: NewUpload): Promise<Fault[]> {
    const limits = { deadlineMs: FILE_MAX_MS, signal: stopping.signal };
    return withDeadline(clock, limits, (signal) =>
      runUpload({ ...upload, stop: sharedStop(signal) }),
    );
  }

  async function run(upload: NewUpload): Promise<void> {
    let failure: Message | null = null;
    try {
      await turn(upload.id);
      const [fault, ...others] = (await inTime(upload)).map(fromFault);
      for (const err of others) log.error({ err, run: upload.id }, "an import did not end cleanly");
      if (fault !== undefined) throw fault;
    } catch (error) {
      failure = failureOf(error);
      if (failure.code === "givenUp") log.warn({ run: upload.id }, "an import was given up");
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
    start(upload: NewUpload): void {
      const running = run(upload);
      underWay.set(upload.id, running);
      void running.finally(() => underWay.delete(upload.id));
    },

    /** Settles once a run of this process has ended, or after this long. */
    async ended(id: number, waitMs: number): Promise<void> {
      const running = underWay.get(id);
      if (running === undefined || waitMs === 0) return;
      let cancel = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(waitMs, resolve);
      });
      await Promise.race([running, late]);
      cancel();
    },

    async stop(): Promise<void> {
      stopping.abort();
      // A request that was still being read may start another run meanwhile.
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

function failureOf(error: unknown): Message {
  return error instanceof AppError && error.code !== "internal" ? error.publicMessage : FAILED;
}
