import { AppError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import type { Clock } from "./clock.ts";

/**
 * Limits of what runs by itself, with nobody waiting who would give it up. Work of its own passes through
 * `withDeadline`, and each pool of threads names a deadline, so that nothing can run without one.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Fetching one file, importing one, and sending one; a source may set another for its files. */
export const FILE_MAX_MS = HOUR_MS;

/** One run of a bot. */
export const BOT_RUN_MAX_MS = HOUR_MS;

/** An attempt of a webhook, from resolving the name to the end of the response head. */
export const ATTEMPT_MAX_MS = 10_000;

/** A mail, and how long its server may be silent. */
export const MAIL = { maxMs: MINUTE_MS, silenceMaxMs: 10_000 };

/** A job; less than the time after which another process takes it for crashed. */
export const JOB_MAX_MS = 45 * MINUTE_MS;

/** Work on a thread that usually takes milliseconds, or seconds when it goes through the catalog in parts. */
export const TASK_MAX_MS = 10 * MINUTE_MS;

/** Least rate of the other side, over any such time, for files that are fetched and sent. */
export const LEAST_RATE = { kilobytesPerS: 64, overMs: MINUTE_MS };
export type LeastRate = typeof LEAST_RATE;

/** How long work that was told to stop may take for that; then it is left behind. */
export const STOPPING_MAX_MS = 10_000;

/**
 * Runs work that must end by a deadline. Then its signal is aborted, and the call fails once the work has
 * ended, or without it if it does not stop.
 * @param signal aborts the work as well
 * @throws AppError `timeout` after the deadline, whatever the work's own outcome is
 */
export function withDeadline<T>(
  clock: Pick<Clock, "after">,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = new AbortController();
  const all = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  let cancel = clock.after(deadlineMs, () => {
    late.abort();
    cancel = clock.after(STOPPING_MAX_MS, () => reject(givenUp(deadlineMs)));
  });
  work(all)
    .finally(() => cancel())
    .then(
      (result) => (late.signal.aborted ? reject(givenUp(deadlineMs)) : resolve(result)),
      (error) => reject(late.signal.aborted ? givenUp(deadlineMs) : error),
    );
  return promise;
}

/** Why work was ended at its deadline. */
export function givenUp(deadlineMs: number): AppError {
  const minutes = Math.round(deadlineMs / MINUTE_MS);
  return new AppError("timeout", message("givenUp", { minutes }));
}
