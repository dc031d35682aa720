import { readFileSync } from "node:fs";

/** One time at which the main thread came to its work late. */
export interface Lateness {
  lateMs: number;
  /** Part of it spent waiting for a processor; the rest is our own doing. Null if the system does not tell. */
  waitedMs: number | null;
  at: number;
}

/** Interval of the looks. What begins between two is seen shorter by up to as much. */
const LOOK_MS = 50;
/** How long a lateness is reported. */
const KEPT_MS = 10_000;

/**
 * Watches how late the main thread is. @returns a function that tells the longest lateness of the last ten
 * seconds; null before the second look
 */
export function watchMainThread(): () => Lateness | null {
  let longest: Lateness | null = null;
  let keptUntilMs = 0;
  let before = { atMs: performance.now(), waitMs: processorWaitMs() };

  function look(): void {
    const now = { atMs: performance.now(), waitMs: processorWaitMs() };
    const lateMs = Math.max(0, now.atMs - before.atMs - LOOK_MS);
    if (longest === null || lateMs >= longest.lateMs || now.atMs > keptUntilMs) {
      const waitedMs =
        now.waitMs === null || before.waitMs === null
          ? null
          : Math.min(lateMs, now.waitMs - before.waitMs);
      longest = { lateMs, waitedMs, at: Date.now() };
      keptUntilMs = now.atMs + KEPT_MS;
    }
    before = now;
  }

  setInterval(look, LOOK_MS).unref();
  return () => longest;
}

/** How long the main thread has waited for a processor since its start; null if the system does not tell. */
export function processorWaitMs(): number | null {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return null;
  }
}
