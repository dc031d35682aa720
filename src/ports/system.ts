import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The machine that the appliance runs on, and its own process. */
export interface System {
  /** Bytes that this process can still write to the folder's volume. */
  freeBytes(folder: string): Promise<number>;
  process(): ProcessFacts;
  /**
   * How late the event loop ran since the previous call. The first call returns null and starts the
   * sampling, which wakes the process regularly and therefore waits until somebody asks.
   */
  eventLoopDelay(): EventLoopDelay | null;
}

export interface ProcessFacts {
  /** Epoch milliseconds. */
  startedAt: number;
  /** Processor time since the start, summed over all processors. */
  processorSeconds: number;
  residentBytes: number;
}

export interface EventLoopDelay {
  medianMs: number;
  /** 99 % of the samples were at most this late. */
  p99Ms: number;
  maxMs: number;
}

/** At this rate, sampling costs 0.4 % of one processor. */
const SAMPLE_EVERY_MS = 20;

export function systemSystem(): System {
  let delays: ReturnType<typeof monitorEventLoopDelay> | null = null;
  return {
    async freeBytes(folder) {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    process() {
      const { user, system } = process.cpuUsage();
      return {
        startedAt: performance.timeOrigin,
        processorSeconds: (user + system) / 1e6,
        residentBytes: process.memoryUsage.rss(),
      };
    },
    eventLoopDelay() {
      if (delays === null) {
        delays = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
        delays.enable();
        return null;
      }
      const { max, count } = delays;
      const [median, p99] = [delays.percentile(50), delays.percentile(99)];
      delays.reset();
      return count === 0 ? null : { medianMs: median / 1e6, p99Ms: p99 / 1e6, maxMs: max / 1e6 };
    },
  };
}
