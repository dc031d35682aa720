/** Wall-clock time, monotonic time, and waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never backwards. For durations and deadlines. */
  monotonic(): number;
  /** Runs work at the end of this turn of the event loop, after requests and messages from threads. */
  endOfTurn(work: () => void): void;
  /** @param signal ends the wait early */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  endOfTurn: (work) => void setImmediate(work),
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};
