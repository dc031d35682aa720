import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { STOPPING_MAX_MS } from "../ports/own-work.ts";
import { message } from "../values/messages/messages.ts";

const MINUTE_MS = 60_000;

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
