import type { CardView } from "../../../../catalog/channels/card.ts";
import type { DailyStatisticsView } from "../../../../catalog/statistics/statistics-day.ts";
import { AppError } from "../../../../errors.ts";
import { dailyStatisticsList } from "../../../../methods/daily-statistics.ts";
import { PERIOD_DAYS_MAX } from "../../../../methods/period.ts";
import { type Day, dayOf, formatDay, parseInstant } from "../../../../values/moscow-time.ts";
import type { SiteContext } from "../../site-context.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** Periods to choose from, as the address's `days` has them; the first is the default. */
export const PERIODS = ["30", "90", "366", "all"] as const;
export type Period = (typeof PERIODS)[number];

/** All that there is, up to ten years. */
const ALL_DAYS_MAX = 3_660;
/** Days before the last reading that growth over 30 days needs, with some slack (summary.ts). */
const GROWTH_DAYS = 34;

/** What is known of a channel in a period that ends at its last reading. */
export interface Readings {
  period: Period;
  /** First and last Moscow day of the period, both included. */
  from: Day;
  to: Day;
  rows: DailyStatisticsView[];
  /** The rows of the last weeks, however short the period is, for the growth. */
  recent: DailyStatisticsView[];
  /** Why the plan in force does not show the period. */
  refusal: AppError | null;
}

export function periodOf({ query }: Visit): Period {
  return PERIODS.find((period) => period === query.get("days")) ?? PERIODS[0];
}

/** Reads a channel's days by the API's own method, so that the plan's rules hold. */
export async function readReadings(
  card: CardView,
  visit: Visit,
  context: SiteContext,
): Promise<Readings> {
  const period = periodOf(visit);
  const span = context.services.statistics.span(card.id);
  const today = dayOf(visit.nowMs);
  const lastPostMs = card.last_post_at === null ? null : parseInstant(card.last_post_at);
  const to = Math.min(span?.last ?? dayOf(lastPostMs ?? visit.nowMs), today);
  const days =
    period === "all" ? Math.min(to - (span?.first ?? to) + 1, ALL_DAYS_MAX) : Number(period);
  const { historyDays } = await planOf(visit, context);
  const open = historyDays === null ? Number.NEGATIVE_INFINITY : today - historyDays + 1;
  // The shortest period is cut to what the plan shows; a longer one is refused as a whole.
  const cut = (day: Day) => (to < open ? day : Math.max(day, open));
  const from = period === PERIODS[0] ? cut(to - days + 1) : to - days + 1;
  const shown: Omit<Readings, "rows" | "recent" | "refusal"> = { period, from, to };
  if (span === null) return { ...shown, rows: [], recent: [], refusal: null };
  const growthFrom = cut(to - GROWTH_DAYS);
  const recent = await orRefusal(readDays(card.id, growthFrom, to, visit, context));
  const rows = await orRefusal(readDays(card.id, from, to, visit, context));
  return {
    ...shown,
    rows: rows instanceof AppError ? [] : rows,
    recent: recent instanceof AppError ? [] : recent,
    refusal: rows instanceof AppError ? rows : null,
  };
}

/** The days of one channel, over as many requests as the method needs for so long a period. */
async function readDays(
  id: number,
  from: Day,
  to: Day,
  visit: Visit,
  context: SiteContext,
): Promise<DailyStatisticsView[]> {
  const rows: DailyStatisticsView[] = [];
  for (let start = from; start <= to; start += PERIOD_DAYS_MAX) {
    const end = Math.min(start + PERIOD_DAYS_MAX - 1, to);
    const raw = { channels: String(id), from: formatDay(start), to: formatDay(end) };
    const { results } = await lookUp<{ results: DailyStatisticsView[] }>(
      dailyStatisticsList,
      raw,
      visit,
      context,
    );
    rows.push(...results);
  }
  return rows;
}
