import { withDeadline } from "../../../db/deadline.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { INTERRUPTED } from "../../imports/reading/input.ts";

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
