import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** Listener that is called for each slow run of a statement, with the call in which it ran. */
export type NoteSlowCall = (call: string, sql: string, tookMs: number) => void;

/** A statement that is slow again and again has a line so often. */
const SAY_AGAIN_AFTER_MS = 60_000;
/** Callers choose filters and thereby texts; then it begins anew. */
const REMEMBERED_MAX = 500;

/** Writes slow statements to the log: the call and the text, and no values. */
export function createSlowLog({ clock, log }: { clock: Clock; log: Log }): NoteSlowCall {
  const saidMs = new Map<string, number>();
  return (call, sql, tookMs) => {
    const nowMs = clock.monotonic();
    if (nowMs - (saidMs.get(sql) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_AFTER_MS) return;
    if (saidMs.size >= REMEMBERED_MAX) saidMs.clear();
    saidMs.set(sql, nowMs);
    const text = sql.replace(/\s+/g, " ").trim();
    // No warning: what jobs and wide searches run is slow by nature, and nobody has to act.
    log.info({ call, sql: text, durationMs: Math.round(tookMs) }, "a statement was slow");
  };
}
