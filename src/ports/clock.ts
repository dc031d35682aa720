import { uptime } from "node:os";

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never backwards. For durations and deadlines. */
  monotonic(): number;
  /** Milliseconds since the machine's boot, to a second; unlike `monotonic`, they count while it sleeps. */
  sinceBoot(): number;
  /** Milliseconds of processor time that the calling thread has taken. */
  processor(): number;
  /** Runs work after this turn's requests and messages from threads. */
  endOfTurn(work: () => void): void;
  /** Calls `work` once after a time, unless it is cancelled before. @returns cancels it */
  after(durationMs: number, work: () => void): () => void;
  /** @param signal ends the wait early; also if it is already aborted */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
  processor() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  endOfTurn: (work) => void setImmediate(work),
  after(durationMs, work) {
    const timer = setTimeout(work, durationMs);
    return () => clearTimeout(timer);
  },
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        // The signal may outlive many waits, for instance those of a loop that runs until the process
        // stops.
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      signal?.addEventListener("abort", end);
      if (signal?.aborted === true) end();
    }),
};

/**
 * Settles with the work's result, or fails after a maximum time. Uses the system's clock, since it waits
 * for something outside the process.
 * @param late called if the time is over, for the error to fail with; the work itself continues
 */
export function inTime<T>(work: Promise<T>, maxMs: number, late: () => Error): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late()), maxMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
