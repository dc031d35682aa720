import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { HOUR_MS } from "../../values/moscow-time.ts";
import { classOf } from "./durations.ts";
import type { NotedHour } from "./hours.store.ts";

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
