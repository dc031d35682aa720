import type { JsonText } from "../../values/json-text.ts";
import type { DailyStatisticsView, StatisticsSelection } from "./statistics.store.ts";

/** For doors, which name no store. */
export type { DailyStatisticsView } from "./statistics.store.ts";

/** Most channels times days (specification, section 8). */
export const STATISTICS_CELLS_MAX = 10_000;

export interface Statistics {
  daily(selection: StatisticsSelection): Promise<JsonText<DailyStatisticsView[]>>;
}
