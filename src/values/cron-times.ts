import { Cron } from "croner";
import { MOSCOW_ZONE } from "./moscow-time.ts";

/** Times of a cron pattern, in Moscow time. */

/** The last instant at or before `nowMs` that the pattern matches; null if there is none. */
export function latestDue(pattern: string, nowMs: number): number | null {
  // croner ignores milliseconds and excludes the second it is asked about, so it is asked about the next
  // one.
  const [latest] = timesOf(pattern).previousRuns(1, new Date(nowMs + 1000));
  return latest?.getTime() ?? null;
}

/** The first instant after `nowMs` that the pattern matches; null if there is none. */
export function nextDue(pattern: string, nowMs: number): number | null {
  return timesOf(pattern).nextRun(new Date(nowMs))?.getTime() ?? null;
}

const FIELDS = 5;
/** Matches that a valid pattern has at least: one for February 30 has none. */
const INSTANTS_MIN = 2;
const FROM = new Date(0);

/** Validates a pattern of five fields; null if it is malformed or never recurs. */
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
