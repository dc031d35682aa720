import type { Json } from "../../values/json-text.ts";
import type { Day } from "../../values/moscow-time.ts";
import type { LatestSelection } from "./readings.store.ts";
import type { StatisticsSelection } from "./statistics.store.ts";
import type { DailyStatisticsView } from "./statistics-day.ts";

/** Limit for channels times days in one request (specification, section 8). */
export const STATISTICS_CELLS_MAX = 10_000;

export interface StatisticsSpan {
  first: Day | null;
  last: Day | null;
}

export interface Statistics {
  daily(selection: StatisticsSelection): Promise<Json<DailyStatisticsView[]>>;
  /** Null if there is no such public channel. */
  span(channelId: number): StatisticsSpan | null;
  /** Subscribers at each channel's last readings, oldest first. */
  latest(selection: LatestSelection): Map<number, number[]>;
}
