import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
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

/** Listener called for each slow run of a statement, with the operation it ran in. */
export type NoteSlowCall = (call: string, sql: string, tookMs: number) => void;

/** Minimum interval between log lines about the same statement. */
const LOG_AGAIN_AFTER_MS = 60_000;
/** The list is cleared when it is full: texts vary with the filters that callers choose. */
const REMEMBERED_MAX = 500;

/** Logs slow statements: the operation and the SQL text, without values. */
export function createSlowLog({ clock, log }: { clock: Clock; log: Log }): NoteSlowCall {
  const loggedMs = new Map<string, number>();
  return (call, sql, tookMs) => {
    const nowMs = clock.monotonic();
    if (nowMs - (loggedMs.get(sql) ?? Number.NEGATIVE_INFINITY) < LOG_AGAIN_AFTER_MS) return;
    if (loggedMs.size >= REMEMBERED_MAX) loggedMs.clear();
    loggedMs.set(sql, nowMs);
    const text = sql.replace(/\s+/g, " ").trim();
    // Not a warning: jobs and broad searches are slow by nature, and nobody has to act.
    log.info({ call, sql: text, durationMs: Math.round(tookMs) }, "a statement was slow");
  };
}
