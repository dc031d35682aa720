import { Cron } from "croner";
import { MOSCOW_ZONE } from "./moscow-time.ts";

/** Instants that a cron pattern in Moscow time names. */

/** The last instant at or before `nowMs` that the pattern names. */
export function latestDue(pattern: string, nowMs: number): number | null {
  // Croner leaves the reference's own second out, so it is asked from the next one on.
  const latest = timesOf(pattern)
    .previousRuns(2, new Date(nowMs + 1000))
    .map((run) => run.getTime());
  return latest.find((dueAt) => dueAt <= nowMs) ?? null;
}

/** The first instant after `nowMs` that the pattern names. */
export function nextDue(pattern: string, nowMs: number): number | null {
  return timesOf(pattern).nextRun(new Date(nowMs))?.getTime() ?? null;
}

const FIELDS = 5;
/** A day such as the 30th of February never comes. */
const INSTANTS_MIN = 2;
const FROM = new Date(0);

/** A pattern of five fields; null for another text, and for a pattern that names no two instants. */
export function readCronPattern(text: string): string | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS) return null;
  const pattern = fields.join(" ");
  try {
    return timesOf(pattern).nextRuns(INSTANTS_MIN, FROM).length === INSTANTS_MIN ? pattern : null;
  } catch {
    return null;
  }
}

function timesOf(pattern: string): Cron {
  return new Cron(pattern, { timezone: MOSCOW_ZONE, paused: true });
}
