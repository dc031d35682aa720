import { readFileSync } from "node:fs";
import { percentile } from "../peers/statistics.ts";

/** Short enough that one long wait shows, long enough that a busy bench still looks in time. */
const LOOK_MS = 100;
const NS_PER_MS = 1_000_000;

/** Watches how long a process's main thread is ready to run, but waits for a processor. */
export interface Waits {
  /**
   * 99th percentile of the wait within a tenth of a second, since the last call. It is compared with p99 of the
   * answers: where both are high, the machine was starved; where only the answers are slow, the thread was busy.
   */
  takeMs(): number;
  stop(): void;
}

export function watchWaits(pid: number): Waits {
  let waitedMs = mainThreadWaitMs(pid);
  let seenMs: number[] = [];
  const timer = setInterval(() => {
    const now = mainThreadWaitMs(pid);
    seenMs.push(now - waitedMs);
    waitedMs = now;
  }, LOOK_MS);
  return {
    takeMs() {
      const taken = percentile(seenMs, 0.99);
      seenMs = [];
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

/** The wait of a process's main thread so far; 0 if the system does not tell. */
function mainThreadWaitMs(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return Number(waitedNs) / NS_PER_MS;
  } catch {
    return 0;
  }
}
