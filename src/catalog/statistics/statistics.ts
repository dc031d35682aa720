import type { Json } from "../../values/json-text.ts";
import type { Day } from "../../values/moscow-time.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import type { LatestSelection, StatisticsSelection } from "./statistics.store.ts";

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

/**
 * Averages over days, rounded: views to integers, posts to hundredths; null if there is nothing to average.
 */
interface Averages {
  viewsPerPost: number | null;
  postsPerDay: number | null;
}

export function averagesOf(rows: readonly DailyStatisticsView[]): Averages {
  const posts = rows.reduce((sum, row) => sum + row.posts, 0);
  // Days without posts may still have views given by an import; they would distort the mean.
  const views = rows.reduce((sum, row) => sum + (row.posts > 0 ? row.views : 0), 0);
  return {
    viewsPerPost: posts === 0 ? null : Math.round(views / posts),
    postsPerDay: rows.length === 0 ? null : Math.round((100 * posts) / rows.length) / 100,
  };
}

export const dailyStatisticsSchema = shape.object(
  {
    channel: shape.integer("Service number of the channel"),
    day: shape.day("Moscow day"),
    subscribers: shape.count("Subscribers at the end of the day"),
    views: shape.count("Views of that day's posts"),
    posts: shape.count("Posts of that day"),
  },
  "DailyStatistics",
);

export type DailyStatisticsView = ValueOf<typeof dailyStatisticsSchema>;
