const PAUSE_MS = 1;
/** Attempts of `untilFree`, a millisecond apart: some ten seconds. */
const TRIES_MAX = 10_000;

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

/** Never notified: waiting on it is a sleep that blocks the thread. */
const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Blocks the thread for a millisecond. */
export function pauseThread(): void {
  Atomics.wait(neverNotified, 0, 0, PAUSE_MS);
}
