/**
 * Moscow's calendar. A `Day` counts days since 1970-01-01 in Moscow; an instant is in epoch milliseconds.
 * The offset is fixed: Russia has not changed its clocks since 2014-10-26, before the messenger's first
 * channels.
 */
export type Day = number;

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const MOSCOW_OFFSET_MS = 3 * HOUR_MS;
export const MOSCOW_ZONE = "Europe/Moscow";

/** IANA spelling of a time zone's name; null if there is no such zone. */
export function zoneNamed(text: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

export function dayOf(instantMs: number): Day {
  return Math.floor((instantMs + MOSCOW_OFFSET_MS) / DAY_MS);
}

export function startOfDay(day: Day): number {
  return day * DAY_MS - MOSCOW_OFFSET_MS;
}

/** The first day of a day's month, and the first of the next month. */
export function monthOf(day: Day): { first: Day; end: Day } {
  const date = new Date(day * DAY_MS);
  const firstOf = (month: number): Day => Date.UTC(date.getUTCFullYear(), month) / DAY_MS;
  return { first: firstOf(date.getUTCMonth()), end: firstOf(date.getUTCMonth() + 1) };
}

/** The only format passed to Date.parse, which parses others by its own rules and time zones. */
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Parses `YYYY-MM-DD`; null for anything else, including dates that do not exist. */
export function parseDay(text: string): Day | null {
  if (!DATE.test(text)) return null;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return null;
  const day = milliseconds / DAY_MS;
  // Date.parse accepts 2025-02-30 as March 2. Days up to the 28th exist in every month.
  return text.slice(-2) <= "28" || formatDay(day) === text ? day : null;
}

/** The last accepted day: the day after it still has a four-digit year. */
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

/** Like `formatInstant`, with milliseconds if there are any: `2026-11-20T14:03:07.250+03:00`. */
export function formatExactInstant(instantMs: number): string {
  const text = new Date(instantMs + MOSCOW_OFFSET_MS).toISOString().slice(0, -1);
  return `${text.endsWith(".000") ? text.slice(0, -4) : text}+03:00`;
}

/** An instant for use in a file name: `2026-11-20T14-03-07`. */
export function fileStamp(instantMs: number): string {
  return formatInstant(instantMs).slice(0, 19).replaceAll(":", "-");
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)$/;

/** Parses ISO 8601 with an offset or `Z`, truncated to milliseconds; null for anything else. */
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
