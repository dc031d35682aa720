import type { Clock } from "../ports/clock.ts";
import type { NoteRefused, Refused } from "./threads.ts";

/** How long a refusal is reported: long enough for a check every few seconds to meet it. */
const SHOWN_MS = 10_000;

/** Watches which tasks the threads refuse. */
export function createQueueWatch(clock: Pick<Clock, "monotonic">, count: NoteRefused) {
  const lastMs = new Map<Refused, number>();
  const isRecent = (why: Refused): boolean =>
    clock.monotonic() - (lastMs.get(why) ?? Number.NEGATIVE_INFINITY) < SHOWN_MS;

  return {
    note(why: Refused): void {
      count(why);
      lastMs.set(why, clock.monotonic());
    },

    /** Requests of customers who did nothing unusual were answered 503. */
    fault: (): string | null =>
      isRecent("others")
        ? "Requests found no free database thread in time and were answered 503."
        : null,

    /** One customer's requests are answered 429; everybody else's are not concerned. */
    warning: (): string | null =>
      isRecent("database") || isRecent("lock") || isRecent("own")
        ? "Requests of an organization that used up its time are answered 429."
        : null,
  };
}
