import type { Clock } from "../ports/clock.ts";

const PAUSE_MS = 1;
/** Attempts of `untilFree`, a millisecond apart: half a minute or more. */
const TRIES_MAX = 30_000;
/** How long a process waits for another that makes the file, on a slow machine too. */
const MAKE_MAX_MS = 60_000;

/** Whether the error means that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/**
 * Retries while another connection holds a lock, often enough to get in between two transactions of an
 * import. Blocks the thread meanwhile.
 */
export function untilFree<T>(work: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || tries === TRIES_MAX) throw error;
      pauseThread();
    }
  }
}

/**
 * Makes a part of the file unless it is made, or waits for another process that is making it. While it waits
 * it looks again, without the lock: of many processes that start at once, one has work to do.
 * @param find what was made; null until then
 * @param make throws if another connection held the lock for too long
 */
export async function madeOnce<T>(
  clock: Pick<Clock, "monotonic">,
  find: () => T | null,
  make: () => Promise<T>,
): Promise<T> {
  const giveUpAtMs = clock.monotonic() + MAKE_MAX_MS;
  for (;;) {
    const made = find();
    if (made !== null) return made;
    try {
      return await make();
    } catch (error) {
      const isLocked = error instanceof Error && isBusy(error.cause);
      if (!isLocked || clock.monotonic() >= giveUpAtMs) throw error;
    }
  }
}

/** Never notified: waiting on it is a sleep that blocks the thread. */
const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Blocks the thread for a millisecond. */
export function pauseThread(): void {
  Atomics.wait(neverNotified, 0, 0, PAUSE_MS);
}
