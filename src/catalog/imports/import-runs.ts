import { existsSync } from "node:fs";
import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";
import { hasEnded, processName } from "../../ports/running.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import { createHeldUploads, type NewUpload, type UploadsOfOthers } from "./held-uploads.ts";
import type { ImportRunChanges } from "./import-run-changes.ts";
import {
  type OwnedRun,
  type RecordedRun,
  selectRun,
  selectRunning,
  selectRuns,
} from "./import-runs.store.ts";
import type { RunProgress } from "./import-runs.table.ts";
import { nothingRecognized } from "./recognized.ts";
import type { Upload } from "./run-upload.ts";
import type { UploadFiles } from "./upload-files.ts";

export type { RecordedRun };

export type ImportRuns = ReturnType<typeof createImportRuns>;

/** Told in place of a cause that means nothing to the person who uploads. */
const FAILED = message("importFailed");

/** Six heartbeats. */
const SILENT_MS = 30_000;
/** From one look whether it is a run's turn to the next. */
const TURN_LOOK_MS = 500;

/**
 * Imports of uploaded files, one after the other, recorded as rows.
 * @param db where they are read
 * @param changes as they are run on a connection that writes
 * @param runUpload runs one on a thread of its own, which has one at a time
 * @param others uploads that other workers hold
 */
export function createImportRuns(
  db: Database,
  changes: ImportRunChanges,
  runUpload: (upload: Upload) => Promise<void>,
  files: UploadFiles,
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
  others?: UploadsOfOthers,
) {
  const owner = processName(random.uuid(clock.now()));
  const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const held = createHeldUploads(files, { clock, random }, others);
  const underWay = new Set<Promise<void>>();
  /** The last heartbeat of each run of another process, and when this process first saw it. */
  const heartbeats = new Map<number, { at: number; sinceMs: number }>();

  /**
   * Whether another process has sent no new heartbeat for so long that it must be gone. Measured by the
   * time that passed in this process: clocks may be set back.
   */
  function isSilent(run: OwnedRun): boolean {
    if (run.owner === owner) return false;
    const nowMs = clock.monotonic();
    const seen = heartbeats.get(run.id);
    if (seen?.at === run.heartbeatAt) return nowMs - seen.sinceMs > SILENT_MS;
    heartbeats.set(run.id, { at: run.heartbeatAt, sinceMs: nowMs });
    return false;
  }

  /** Waits for runs of other processes that were started before; one that is gone is ended by `look`. */
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
    files,
    held,

    /**
     * Takes the file and starts to import it.
     * @returns the run's number
     */
    async start(input: NewUpload & { by: Actor }): Promise<number> {
      const { kind, options, by } = input;
      const { name: fileName, bytes } = input.file;
      const summary = { ...NOTHING_YET, options, bytes, notes: [] };
      const path = files.take(input.file.path);
      try {
        const id = await changes.startImport({ kind, fileName, summary, owner }, by);
        files.removeRejects(id);
        const rejectsPath = files.rejectsPath(id);
        const running = run({
          ...{ id, kind, fileName, path, rejectsPath, summary, stop },
        });
        underWay.add(running);
        void running.finally(() => underWay.delete(running));
        return id;
      } catch (error) {
        files.remove(path);
        throw error;
      }
    },

    /** The latest first. */
    runs: (limit: number): Promise<RecordedRun[]> => selectRuns(db, limit),

    /** The file of a run's rejected rows. @throws AppError `not_found` where it is kept no longer */
    async rejects(id: number): Promise<{ run: RecordedRun; path: string }> {
      const run = await this.run(id);
      const path = files.rejectsPath(id);
      if (run.summary.rejectsKept === 0 || !existsSync(path)) throw notFound("import", id);
      return { run, path };
    },

    /** @throws AppError `not_found` */
    async run(id: number): Promise<RecordedRun> {
      const found = await selectRun(db, id);
      if (found === undefined) throw notFound("import", id);
      return found;
    },

    /** At the start: removes the files of processes that are gone. */
    recover(): Promise<void> {
      files.removeLeftovers();
      return this.look();
    },

    /**
     * Every few seconds: says that the runs of this process go on, and ends those whose process is
     * gone; a run of another process that lives is left alone. Never throws.
     * @param endsGone whether this process is the one that looks after others' runs
     */
    async look(endsGone = true): Promise<void> {
      held.removeOld();
      try {
        const running = await selectRunning(db);
        if (running.length === 0) return;
        const others = endsGone ? running : [];
        const gone = others.filter((run) => hasEnded(run.owner, owner) || isSilent(run));
        await changes.importHeartbeat(
          owner,
          gone.map(({ id }) => id),
        );
      } catch (error) {
        log.warn({ err: error }, "imports could not be looked after; it is tried again");
      }
    },

    /** Ends what is under way after its next rows, and what waits for its turn. */
    async stop(): Promise<void> {
      Atomics.store(new Int32Array(stop), 0, 1);
      held.removeAll();
      // A request that was being read may start one more meanwhile.
      while (underWay.size > 0) await Promise.all(underWay);
      files.removeOfMemory();
    },
  };
}

const NOTHING_YET: Omit<RunProgress, "options" | "bytes" | "notes"> = {
  read: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  seconds: 0,
  recognized: nothingRecognized(MOSCOW_ZONE),
  rejects: [],
  warnings: [],
  bytesRead: 0,
  rejectsKept: 0,
};

function failureOf(error: unknown): Message {
  return error instanceof AppError && error.code !== "internal" ? error.said : FAILED;
}
