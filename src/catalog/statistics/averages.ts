import type { DailyStatisticsView } from "./statistics-day.ts";

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
