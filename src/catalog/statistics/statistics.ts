import type { Json } from "../../values/json-text.ts";
import type { LatestSelection, ReadingSpan } from "./readings.store.ts";
import type { StatisticsSelection } from "./statistics.store.ts";
import type { DailyStatisticsView } from "./statistics-day.ts";

/** Most channels times days (specification, section 8). */
export const STATISTICS_CELLS_MAX = 10_000;

export interface Statistics {
  daily(selection: StatisticsSelection): Promise<Json<DailyStatisticsView[]>>;
  /** The days of a channel's first and last reading; null where there are none. */
  span(channelId: number): ReadingSpan | null;
  /** Subscribers by the last readings of each channel, the oldest first. */
  latest(selection: LatestSelection): Map<number, number[]>;
}
