import { latestDue, nextDue, readCronPattern } from "../../values/cron-times.ts";
import type { Read } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import type { Source } from "./sources.table.ts";

/** When to run a source: at an interval after its last start, or by a cron pattern in Moscow time. */
type Schedule = { everyMs: number } | { pattern: string };

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const EVERY_MIN_MS = UNIT_MS.m;
const EVERY_MAX_MS = 31 * UNIT_MS.d;

/** Wait after the first failure; it doubles with each further one, up to `RETRY_MAX_MS`. */
const RETRY_FIRST_MS = 60_000;
const RETRY_MAX_MS = 3_600_000;

/** Intervals without success after which a source counts as silent. */
const SILENT_INTERVALS = 3;

/** Parses `15m`, `6h`, `1d`, or a recurring cron pattern of five fields. */
export function readSchedule(text: string): Read<Schedule> {
  const everyMs = readDuration(text);
  if (everyMs === null) return readPattern(text);
  return isFitting(everyMs) ? { value: { everyMs } } : { fault: message("scheduleWrong") };
}

/** Parses how long fetching or importing a file may take, such as `90m`. */
export function readTimeLimit(text: string): Read<number> {
  const durationMs = readDuration(text);
  return durationMs !== null && isFitting(durationMs)
    ? { value: durationMs }
    : { fault: message("timeLimitWrong") };
}

function readDuration(text: string): number | null {
  const [, number = "", unit = ""] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? [];
  return unit === "" ? null : Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

function isFitting(durationMs: number): boolean {
  return durationMs >= EVERY_MIN_MS && durationMs <= EVERY_MAX_MS;
}

function readPattern(text: string): Read<Schedule> {
  const pattern = readCronPattern(text);
  return pattern === null ? { fault: message("scheduleWrong") } : { value: { pattern } };
}

/** @throws Error for a stored schedule that was never validated */
function scheduleOf({ schedule }: Pick<Source, "schedule">): Schedule {
  const read = readSchedule(schedule);
  if ("fault" in read) throw new Error(`${schedule} is not a schedule`);
  return read.value;
}

type Scheduled = Pick<
  Source,
  | "schedule"
  | "isPaused"
  | "isRequested"
  | "startedAt"
  | "endedAt"
  | "failures"
  | "retryAt"
  | "position"
>;

/**
 * Whether a source that is not running should run: on request, after the wait for a failure, or by its
 * schedule. A time in the future was recorded by a wrong clock and is ignored.
 */
export function isDue(source: Scheduled, nowMs: number): boolean {
  if (source.isRequested) return true;
  return !source.isPaused && nowMs >= dueAt(source, nowMs);
}

/** When a source is next due; in the past if it is due now. */
export function dueAt(source: Scheduled, nowMs: number): number {
  const { endedAt, failures, retryAt } = source;
  // With pushes, runs that read only changed channels do not postpone those that read all.
  const startedAt = source.position.wholeAt ?? source.startedAt;
  if (startedAt === null || startedAt > nowMs) return nowMs;
  if (failures > 0) {
    const waitMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS);
    // A run that ended with its process has no recorded end.
    return Math.max(Math.max(endedAt ?? 0, startedAt) + waitMs, retryAt ?? 0);
  }
  const schedule = scheduleOf(source);
  const usual =
    "everyMs" in schedule ? startedAt + schedule.everyMs : nextDue(schedule.pattern, startedAt);
  return Math.min(usual ?? Number.POSITIVE_INFINITY, retryAt ?? Number.POSITIVE_INFINITY);
}

/** When a source runs next; null if it does not by itself. */
export function nextRunAt(source: Scheduled, nowMs: number): number | null {
  const next = dueAt(source, nowMs);
  return source.isPaused || !Number.isFinite(next) ? null : next;
}

/** Whether a folder is read again before its schedule, because a file was still being written. */
export function isSettling({
  failures,
  retryAt,
  owner,
}: Pick<Source, "failures" | "retryAt" | "owner">): boolean {
  return failures === 0 && retryAt !== null && owner === null;
}

/**
 * Whether a source that is not paused has had no success for three of its intervals. One that never
 * succeeded counts from its creation.
 */
export function isSilent(
  source: Pick<Source, "schedule" | "isPaused" | "createdAt" | "succeededAt">,
  nowMs: number,
): boolean {
  if (source.isPaused) return false;
  const since = Math.min(source.succeededAt ?? source.createdAt, nowMs);
  return nowMs - since > SILENT_INTERVALS * intervalMs(scheduleOf(source), nowMs);
}

export const SOURCE_STATES = ["paused", "running", "silent", "failing", "new", "ok"] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

export function stateOf(source: Source, nowMs: number): SourceState {
  if (source.isPaused) return "paused";
  if (source.owner !== null) return "running";
  if (isSilent(source, nowMs)) return "silent";
  if (source.failures > 0) return "failing";
  return source.succeededAt === null ? "new" : "ok";
}

/** Interval of a schedule; for a pattern, the time between its last two instants. */
function intervalMs(schedule: Schedule, nowMs: number): number {
  if ("everyMs" in schedule) return schedule.everyMs;
  const last = latestDue(schedule.pattern, nowMs);
  const before = last === null ? null : latestDue(schedule.pattern, last - 1);
  return last === null || before === null ? Number.POSITIVE_INFINITY : last - before;
}
