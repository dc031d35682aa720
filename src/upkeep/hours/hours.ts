import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { HOUR_MS } from "../../values/moscow-time.ts";
import type { NotedHour } from "./hours.store.ts";

/**
 * Histogram of durations with four classes per doubling, so a class's upper bound is at most 19 % above its
 * values. Recording a request increments one counter, and hours can be summed.
 */
const CLASSES_PER_DOUBLING = 4;
/** Class for anything over an hour. */
const CLASS_MAX = 128;

/** Numbers of requests by class. */
export type Durations = ReadonlyMap<number, number>;

/** The class of a duration; its upper bound is 2^(class / 4) microseconds. */
export function classOf(durationUs: number): number {
  const exact = Math.ceil(Math.log2(Math.max(durationUs, 1)) * CLASSES_PER_DOUBLING);
  return Math.min(exact, CLASS_MAX);
}

/**
 * A quantile, as the upper bound of its class.
 * @param part between 0 and 1
 * @returns microseconds; null if there were no requests
 */
export function quantileUs(durations: Durations, part: number): number | null {
  const classes = [...durations].sort(([one], [other]) => one - other);
  const all = classes.reduce((sum, [, requests]) => sum + requests, 0);
  let passed = 0;
  for (const [at, requests] of classes) {
    passed += requests;
    if (passed >= all * part) return Math.round(2 ** (at / CLASSES_PER_DOUBLING));
  }
  return null;
}

/** Sums the histograms of several hours. */
export function sumOfDurations(hours: readonly Durations[]): Durations {
  const sum = new Map<number, number>();
  for (const durations of hours) {
    for (const [at, requests] of durations) sum.set(at, (sum.get(at) ?? 0) + requests);
  }
  return sum;
}

/**
 * Sums up requests by hour, in memory until they are written together; an hour without requests is written
 * too.
 */
export function createHours(
  write: (noted: NotedHour) => Promise<void>,
  { clock, log }: { clock: Clock; log: Log },
) {
  let waiting = new Map<number, NotedHour & { durations: Map<number, number> }>();
  let writtenHour = 0;

  function hourOf(instantMs: number) {
    const startedAt = Math.floor(instantMs / HOUR_MS) * HOUR_MS;
    let hour = waiting.get(startedAt);
    if (hour === undefined) {
      hour = {
        startedAt,
        requests: 0,
        errors: 0,
        durationUs: 0,
        slowestUs: 0,
        durations: new Map(),
      };
      waiting.set(startedAt, hour);
    }
    return hour;
  }

  return {
    note({ at, status, durationMs }: { at: number; status: number; durationMs: number }): void {
      const hour = hourOf(at);
      const durationUs = Math.round(durationMs * 1000);
      hour.requests += 1;
      if (status >= 500) hour.errors += 1;
      hour.durationUs += durationUs;
      if (durationUs > hour.slowestUs) hour.slowestUs = durationUs;
      const place = classOf(durationUs);
      hour.durations.set(place, (hour.durations.get(place) ?? 0) + 1);
    },

    /** Writes what is pending. Never throws. */
    async flush(): Promise<void> {
      const { startedAt } = hourOf(clock.now());
      const noted = [...waiting.values()];
      waiting = new Map();
      for (const hour of noted) {
        if (hour.requests === 0 && hour.startedAt === writtenHour) continue;
        await write(hour).catch((error) =>
          log.warn({ err: error }, "an hour's counts could not be stored"),
        );
      }
      writtenHour = startedAt;
    },
  };
}
