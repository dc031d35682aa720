import { existsSync } from "node:fs";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import { notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Random } from "../../../ports/ports.ts";
import { createIsAbandoned, processName } from "../../../ports/system.ts";
import { nothingRecognized } from "../reading/recognized.ts";
import { nothingImported } from "../writing/import-summary.ts";
import { createImportQueue, type ImportParts } from "./import-queue.ts";
import { type RecordedRun, selectRun, selectRunning, selectRuns } from "./import-runs.store.ts";
import type { NewUpload, UploadFiles, UploadsOfOthers } from "./upload-files.ts";
import { createHeldUploads } from "./upload-files.ts";

export type { RecordedRun };

export type ImportRuns = ReturnType<typeof createImportRuns>;

/** How long a process may be silent before its runs are ended: six heartbeats. */
const SILENT_MS = 30_000;

/**
 * Imports of uploaded files, run one after another and recorded as rows.
 * @param others uploads held by other workers
 */
export function createImportRuns(
  parts: ImportParts,
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
  others?: UploadsOfOthers,
) {
  const { db, changes, files } = parts;
  const owner = processName(random.uuid(clock.now()));
  const held = createHeldUploads(files, { clock, random }, others);
  const queue = createImportQueue(parts, owner, { clock, log });
  const isAbandoned = createIsAbandoned(owner, SILENT_MS, clock);

  return {
    files,
    held,

    /**
     * Takes over the file and starts importing it.
     * @returns number of the run
     */
    async start(input: NewUpload & { by: Actor }): Promise<number> {
      const { kind, options, by } = input;
      const { name: fileName, bytes } = input.file;
      const nothing = nothingImported(nothingRecognized(options.timezone));
      const summary = { ...nothing, options, bytes, notes: [], bytesRead: 0, rejectsKept: 0 };
      const path = files.take(input.file.path);
      try {
        const id = await changes.startImport({ kind, fileName, summary, owner }, by);
        files.removeRejects(id);
        const rejectsPath = files.rejectsPath(id);
        queue.start({ id, kind, fileName, path, rejectsPath, summary });
        return id;
      } catch (error) {
        files.remove(path);
        throw error;
      }
    },

    ended: queue.ended,
    ...createImportReads(db, files),

    /** Called at the start: removes files of processes that are gone. */
    recover(): Promise<void> {
      files.removeLeftovers();
      return this.tick();
    },

    /**
     * Called every few seconds: records the heartbeat of this process's runs, ends runs whose process is
     * gone, and removes uploads that were held for too long. Never throws.
     * @param endsGone whether this process is responsible for ending others' runs
     */
    async tick(endsGone = true): Promise<void> {
      held.removeOld();
      try {
        const running = await selectRunning(db);
        if (running.length === 0) return;
        const goneIds = running
          .filter((run) => endsGone && run.owner !== owner && isAbandoned(run.id, run))
          .map(({ id }) => id);
        await changes.importHeartbeat(owner, goneIds);
      } catch (error) {
        log.warn(
          { err: error },
          "staff's imports could not be checked; they will be checked again",
        );
      }
    },

    async stop(): Promise<void> {
      held.removeAll();
      await queue.stop();
      files.removeOfMemory();
    },
  };
}

function createImportReads(db: Database, files: UploadFiles) {
  /** @throws AppError `not_found` */
  async function run(id: number): Promise<RecordedRun> {
    const found = await selectRun(db, { id });
    if (found === undefined) throw notFound("import", id);
    return found;
  }

  return {
    run,

    /** Latest first. @param before only runs with lower numbers; null to start with the latest */
    runs: async (limit: number, before: number | null = null): Promise<RecordedRun[]> =>
      selectRuns(db, { limit, before: before ?? Number.MAX_SAFE_INTEGER }),

    /** The file with a run's rejected rows. @throws AppError `not_found` if it is no longer kept */
    async rejects(id: number): Promise<{ run: RecordedRun; path: string }> {
      const found = await run(id);
      const path = files.rejectsPath(id);
      if (found.summary.rejectsKept === 0 || !existsSync(path)) throw notFound("import", id);
      return { run: found, path };
    },
  };
}
