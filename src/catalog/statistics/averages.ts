import type { DailyStatisticsView } from "./statistics-day.ts";

/** Averages over days, rounded; null if there is nothing to divide by. */
interface Averages {
  viewsPerPost: number | null;
  postsPerDay: number | null;
}

export function averagesOf(rows: readonly DailyStatisticsView[]): Averages {
  const posts = rows.reduce((sum, row) => sum + row.posts, 0);
  // Days without a counted post may have views given by an import.
  const views = rows.reduce((sum, row) => sum + (row.posts > 0 ? row.views : 0), 0);
  return {
    viewsPerPost: posts === 0 ? null : Math.round(views / posts),
    postsPerDay: rows.length === 0 ? null : Math.round((100 * posts) / rows.length) / 100,
  };
}
