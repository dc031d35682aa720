/** Wall time, time for measuring, and waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never backwards. For durations and deadlines. */
  monotonic(): number;
  sleep(durationMs: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
};
