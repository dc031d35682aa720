/**
 * Moscow's calendar. A `Day` is the number of days since 1970-01-01 in Moscow, an instant is
 * epoch milliseconds. The offset is fixed: Russia has had no clock changes since 2014-10-26, which
 * is older than the messenger's channels.
 */
export type Day = number;

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const MOSCOW_OFFSET_MS = 3 * HOUR_MS;
export const MOSCOW_ZONE = "Europe/Moscow";

/** A time zone's name in IANA's spelling; null for what is none. */
export function zoneNamed(text: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The Moscow day in which an instant lies. */
export function dayOf(instantMs: number): Day {
  return Math.floor((instantMs + MOSCOW_OFFSET_MS) / DAY_MS);
}

/** The instant of Moscow's midnight with which the day starts. */
export function startOfDay(day: Day): number {
  return day * DAY_MS - MOSCOW_OFFSET_MS;
}

/** The only shape given to Date.parse, which reads others by rules and time zones of its own. */
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Reads `YYYY-MM-DD`; null for anything else, dates that do not exist included. */
export function parseDay(text: string): Day | null {
  if (!DATE.test(text)) return null;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return null;
  const day = milliseconds / DAY_MS;
  // Date.parse takes 2025-02-30 for March 2. Up to the 28th every month has the day.
  return text.slice(-2) <= "28" || formatDay(day) === text ? day : null;
}

/** The last day that is taken: the one after it still has a year of four digits. */
const LAST_DAY = parseDay("9999-12-30") ?? 0;

/** The instant at which a day ends in Moscow, by its `YYYY-MM-DD`; null for any other text. */
export function parseEndOfDay(text: string): number | null {
  const day = parseDay(text);
  return day === null || day > LAST_DAY ? null : startOfDay(day + 1);
}

export function formatDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** `2026-11-20T14:03:07+03:00`. */
export function formatInstant(instantMs: number): string {
  return `${new Date(instantMs + MOSCOW_OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

export function formatOptionalInstant(instantMs: number | null): string | null {
  return instantMs === null ? null : formatInstant(instantMs);
}

/** `formatInstant` with its milliseconds, where it has some: `2026-11-20T14:03:07.250+03:00`. */
export function formatExactInstant(instantMs: number): string {
  const text = new Date(instantMs + MOSCOW_OFFSET_MS).toISOString().slice(0, -1);
  return `${text.endsWith(".000") ? text.slice(0, -4) : text}+03:00`;
}

/** An instant in the name of a file: `2026-11-20T14-03-07`. */
export function fileStamp(instantMs: number): string {
  return formatInstant(instantMs).slice(0, 19).replaceAll(":", "-");
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)$/;

/** Reads ISO 8601 with an offset or `Z`, cut to the millisecond; null for anything else. */
export function parseInstant(text: string): number | null {
  const match = INSTANT.exec(text);
  if (match === null) return null;
  const [, date = "", hour, minute, second = "0", fraction = "", , sign, offsetHour, offsetMinute] =
    match;
  const day = parseDay(date);
  if (day === null) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null;
  const offsetMinutes = Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0);
  return (
    day * DAY_MS +
    ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 +
    Number(fraction.padEnd(3, "0").slice(0, 3)) -
    (sign === "-" ? -1 : 1) * offsetMinutes * 60_000
  );
}
