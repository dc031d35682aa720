import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Lateness, processorWaitMs, watchMainThread } from "./main-thread.ts";

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
  /** The main thread's longest lateness of the last ten seconds. The first call starts watching it. */
  mainThreadLateness(): Lateness | null;
}

export interface ProcessFacts {
  startedAt: number;
  /** Processor time since the start, summed over all processors. */
  processorSeconds: number;
  /** Time that the main thread waited for a processor; null if the system does not tell. */
  waitedSeconds: number | null;
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
  let lateness: (() => Lateness | null) | null = null;
  let delays: ReturnType<typeof monitorEventLoopDelay> | null = null;
  return {
    async freeBytes(folder) {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    process() {
      const { user, system } = process.cpuUsage();
      const waitedMs = processorWaitMs();
      return {
        startedAt: performance.timeOrigin,
        processorSeconds: (user + system) / 1e6,
        waitedSeconds: waitedMs === null ? null : waitedMs / 1000,
        residentBytes: process.memoryUsage.rss(),
      };
    },
    mainThreadLateness() {
      lateness ??= watchMainThread();
      return lateness();
    },
    eventLoopDelay() {
      if (delays === null) {
        delays = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
        delays.enable();
        return null;
      }
      const { max, count } = delays;
      const median = delays.percentile(50);
      const p99 = delays.percentile(99);
      delays.reset();
      return count === 0 ? null : { medianMs: median / 1e6, p99Ms: p99 / 1e6, maxMs: max / 1e6 };
    },
  };
}
