import type { Database } from "../../../db/database.ts";
import { withDeadline } from "../../../db/deadline.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { INTERRUPTED, openInput, stoppable } from "../../imports/reading/input.ts";
import { cutGroup, type ImportSummary } from "../../imports/writing/import-summary.ts";
import { openImport } from "../../imports/writing/open-import.ts";
import { ownerNow } from "../sources.store.ts";
import type { FileOptions } from "../sources.table.ts";

/** A file delivered by a source. Plain data, because it is sent to a thread. */
export interface SourceFile {
  /** The source, and the process that runs it. */
  id: number;
  owner: string;
  path: string;
  /** Name to show: an address, or a file name. */
  name: string;
  options: FileOptions;
  messengerHosts: readonly string[];
  openDays: number;
  deadlineMs: number;
  /** A 32-bit number in shared memory, non-zero to stop the import. */
  stop: SharedArrayBuffer;
}

/** Ten times the largest download: rows hardly compress better. */
const UNPACKED_BYTES_MAX = 20 * 1024 ** 3;

/**
 * Imports a file delivered by a source; it is read completely before any of it is written.
 * @throws AppError `invalid` for a file that cannot be read; `unavailable` if `stop` is set, and if another
 * process holds the source by now, which may have read a newer file
 */
export async function importSourceFile(
  db: Database,
  clock: Clock,
  { id, owner, path, name, options, messengerHosts, openDays, stop }: SourceFile,
): Promise<ImportSummary> {
  const file = { ...(await openInput(path)), name, unpackedBytesMax: UNPACKED_BYTES_MAX };
  const input = stoppable(file, stop);
  const importIt = await openImport(input, options.rows, options, messengerHosts);
  const summary = await importIt({
    db,
    clock,
    replace: false,
    context: { folder: null, openDays, note: () => {} },
    requireWanted(tx) {
      if (ownerNow(tx, id) !== owner) throw new AppError("unavailable", INTERRUPTED);
    },
    onReject: () => {},
    onProgress: () => {},
  });
  return {
    ...summary,
    rejects: summary.rejects.map(cutGroup),
    warnings: summary.warnings.map(cutGroup),
  };
}

/** How long an import may delay those of other sources. */
const SHORT_MAX_MS = 60_000;

/** Work with a deadline, at which its signal is aborted. */
type TimedWork<T> = (signal: AbortSignal, deadlineMs: number) => Promise<T>;

/** Does the work of a turn, as soon as it begins. */
type Turn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Turns of imports, one file at a time of each source. Those that take up to a minute go one after another;
 * one that takes longer is ended, and repeated among the long ones, of which one runs at a time beside them.
 * So a file that takes an hour delays the others by a minute at most, and only once.
 */
export function createImportTurns(clock: Clock) {
  const short = createTurns();
  const long = createTurns();
  /** Sources whose last file took long. */
  const areLong = new Set<number>();

  async function takeShort<T>(
    id: number,
    signal: AbortSignal,
    work: TimedWork<T>,
  ): Promise<{ result: T } | null> {
    const limits = { deadlineMs: SHORT_MAX_MS, signal };
    const timed = (own: AbortSignal): Promise<T> => work(own, SHORT_MAX_MS);
    try {
      return { result: await short(() => withDeadline(clock, limits, timed), signal) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "timeout" || signal.aborted) throw error;
      areLong.add(id);
      return null;
    }
  }

  return {
    /**
     * Imports a file of a source.
     * @param deadlineMs time limit, from the beginning of its turn
     * @throws AppError `timeout` after it; `unavailable` if `signal` is aborted before its turn
     */
    async take<T>(
      id: number,
      { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
      work: TimedWork<T>,
    ): Promise<T> {
      const done = areLong.has(id) ? null : await takeShort(id, signal, work);
      if (done !== null) return done.result;
      const begun = { atMs: Number.POSITIVE_INFINITY };
      const timed = (inner: AbortSignal): Promise<T> => {
        begun.atMs = clock.monotonic();
        return work(inner, deadlineMs);
      };
      try {
        return await long(() => withDeadline(clock, { deadlineMs, signal }, timed), signal);
      } finally {
        if (clock.monotonic() - begun.atMs < SHORT_MAX_MS) areLong.delete(id);
      }
    },
  };
}

/** Turns, one after another in the order of the calls. */
function createTurns(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return async (work, signal) => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    try {
      await before;
      if (signal.aborted) throw new AppError("unavailable", INTERRUPTED);
      return await work();
    } finally {
      resolve();
    }
  };
}
