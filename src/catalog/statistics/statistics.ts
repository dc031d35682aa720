import type { Json } from "../../values/json-text.ts";
import type { StatisticsSelection } from "./statistics.store.ts";
import type { DailyStatisticsView } from "./statistics-day.ts";

/** Most channels times days (specification, section 8). */
export const STATISTICS_CELLS_MAX = 10_000;

export interface Statistics {
  daily(selection: StatisticsSelection): Promise<Json<DailyStatisticsView[]>>;
}
