import type { CardView } from "../../../../catalog/channels/card.ts";
import type { DailyStatisticsView } from "../../../../catalog/statistics/statistics.ts";
import { AppError, notFound } from "../../../../errors.ts";
import { type Day, dayOf, formatDay, parseInstant } from "../../../../values/moscow-time.ts";
import { dailyStatisticsList } from "../../../../verbs/methods/statistics.ts";
import { firstDayOf, PERIOD_DAYS_MAX } from "../../../../verbs/period.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { ownPlan } from "../../visit/viewer.ts";
import { useSite, useVisit } from "../../visit/visit.ts";

/** Selectable periods, as in the address's `days`; the first is the default. */
export const PERIODS = ["30", "90", "366", "all"] as const;
export type Period = (typeof PERIODS)[number];

/** Limit for everything there is: ten years. */
const ALL_DAYS_MAX = 3_660;

/** A period ending at the last reading; Moscow days, both inclusive. */
export interface ReadingPeriod {
  period: Period;
  from: Day;
  to: Day;
}

/** Channels' readings in such a period. */
export interface Readings extends ReadingPeriod {
  /** Ordered by channel, then by day. */
  rows: DailyStatisticsView[];
  /** Why the current plan does not show the period. */
  refusal: AppError | null;
}

export function periodOf(): Period {
  const { query } = useVisit();
  return PERIODS.find((period) => period === query.get("days")) ?? PERIODS[0];
}

/** Channels' days in the period requested by the address, up to their last reading or post. */
export async function readReadings(cards: readonly CardView[]): Promise<Readings> {
  const period = periodOf();
  const today = dayOf(useVisit().nowMs);
  const spans = cards.flatMap(({ id }) => spanOf(id));
  const posts = cards.flatMap(({ last_post_at: at }) => (at && parseInstant(at)) || []);
  const ends = spans.length > 0 ? spans.map(({ last }) => last) : posts.map(dayOf);
  const to = Math.min(today, ends.length > 0 ? Math.max(...ends) : today);
  const first = Math.min(to, ...spans.map((span) => span.first));
  const days = period === "all" ? Math.min(to - first + 1, ALL_DAYS_MAX) : Number(period);
  const open = firstDayOf(await ownPlan(), today);
  // The shortest period is reduced to what the plan shows; longer ones are refused as a whole.
  const cut = (day: Day) => (to < open ? day : Math.max(day, open));
  const from = period === PERIODS[0] ? cut(to - days + 1) : to - days + 1;
  // Channels without any reading are not queried, so that the plan does not refuse them.
  if (spans.length === 0) return { period, from, to, rows: [], refusal: null };
  const ids = cards.map(({ id }) => id);
  const rows = await orRefusal(requestDays(ids, from, to));
  return {
    period,
    from,
    to,
    rows: rows instanceof AppError ? [] : rows,
    refusal: rows instanceof AppError ? rows : null,
  };
}

/** Periods drawn in full, however few readings they have. */
const DRAWN_WHOLE_DAYS = 90;

/**
 * First day of the picture: a year with readings only in its last months would squeeze them against its
 * end, so the picture starts at the first reading.
 */
export function firstDrawn({
  from,
  to,
  rows,
}: Pick<Readings, "from" | "to"> & { rows: readonly { day: string }[] }): string {
  const days = rows.map(({ day }) => day).sort();
  return to - from < DRAWN_WHOLE_DAYS ? formatDay(from) : (days[0] ?? formatDay(from));
}

/** The part of a period that one API call accepts; null if the plan does not include it. */
export async function daysForCall({
  from,
  to,
}: ReadingPeriod): Promise<{ from: string; to: string } | null> {
  const first = Math.max(from, to - PERIOD_DAYS_MAX + 1);
  if (first < firstDayOf(await ownPlan(), dayOf(useVisit().nowMs))) return null;
  return { from: formatDay(first), to: formatDay(to) };
}

/** Days of a channel's first and last reading, if it has any. */
function spanOf(id: number): { first: Day; last: Day }[] {
  const { services } = useSite();
  const { first = null, last = null } = services.statistics.span(id) ?? {};
  return first === null || last === null ? [] : [{ first, last }];
}

/**
 * Channels' days from the API's own method, so that the plan's rules apply, in as many requests as it needs
 * for a long period.
 */
async function requestDays(
  ids: readonly number[],
  from: Day,
  to: Day,
): Promise<DailyStatisticsView[]> {
  const rows: DailyStatisticsView[] = [];
  for (let start = from; start <= to; start += PERIOD_DAYS_MAX) {
    const end = Math.min(start + PERIOD_DAYS_MAX - 1, to);
    const raw = { channels: ids.join(), from: formatDay(start), to: formatDay(end) };
    const { results } = await lookUp<{ results: DailyStatisticsView[] }>(dailyStatisticsList, raw);
    rows.push(...results);
  }
  return rows;
}

/** Number or handle in a channel's address. @throws AppError `not_found` if it cannot be decoded, as `%FF` */
export function namedChannel(): string {
  const { params } = useVisit();
  const channel = params["id"] ?? "";
  if (channel === "") throw notFound("channel");
  return channel;
}
