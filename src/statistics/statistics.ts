import type { JsonText } from "../json-text.ts";
import type { DailyStatisticsView, StatisticsSelection } from "./statistics.store.ts";

/** Longest period, in days, and most channels times days (specification, section 8). */
export const STATISTICS_DAYS_MAX = 366;
export const STATISTICS_CELLS_MAX = 10_000;
/** Days of the default period, and of what a plan without full history may read. */
export const STATISTICS_DAYS_DEFAULT = 30;

export interface Statistics {
  daily(selection: StatisticsSelection): Promise<JsonText<DailyStatisticsView[]>>;
}
