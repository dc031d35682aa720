import { percentile } from "../statistics.ts";
import type { Target } from "./load.ts";

/** Clients that read while something else is running; a 503 is counted, and does not fail the bench. */
interface Readers {
  /** Results since the last call: p50 and p99 of all answers, and how many were a 503. */
  seen(): { p50Ms: number; p99Ms: number; refused: number };
  /** @throws Error if an answer was an error other than 503 */
  stop(): Promise<void>;
}

/** Starts several clients, each requesting the paths in turn from a different position. */
export function startReaders({ address, headers, paths }: Target, count: number): Readers {
  let durations: number[] = [];
  let refused = 0;
  let isStopped = false;
  const read = async (from: number): Promise<void> => {
    for (let at = from; !isStopped; at++) {
      const path = paths[at % paths.length] ?? "";
      const startedAt = performance.now();
      const response = await fetch(address + path, { headers });
      await response.arrayBuffer();
      durations.push(performance.now() - startedAt);
      if (response.status === 503) refused += 1;
      else if (!response.ok) throw new Error(`${address}${path}: ${response.status}`);
    }
  };
  const share = Math.floor(paths.length / count);
  const reading = Array.from({ length: count }, (_, index) => read(index * share));
  const whole = Promise.all(reading);
  whole.catch(() => {});
  return {
    seen() {
      const result = {
        p50Ms: percentile(durations, 0.5),
        p99Ms: percentile(durations, 0.99),
        refused,
      };
      durations = [];
      refused = 0;
      return result;
    },
    async stop() {
      isStopped = true;
      await whole;
    },
  };
}
