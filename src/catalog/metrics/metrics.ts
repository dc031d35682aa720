import { formatDay } from "../../values/moscow-time.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";

/** A channel's growth and engagement as stored; null if unknown. */
export type MetricsRecord = { [Name in MetricName]: number | null };

type MetricName = (typeof METRIC_NAMES)[number];

export const METRIC_NAMES = [
  "growth_1d",
  "growth_7d",
  "growth_30d",
  "growth_7d_percent",
  "growth_30d_percent",
  "posts_30d",
  "ads_30d",
  "reach_30d",
  "err_30d",
  "statistics_until",
  "reach_24h",
  "reach_24h_posts",
  "reach_48h",
  "reach_48h_posts",
  "ad_reach_24h",
  "ad_reach_24h_posts",
  "ad_reach_48h",
  "ad_reach_48h_posts",
] as const;

/** Metrics that catalogs can be ordered by. */
export const ORDERED_METRICS = [
  ...(["growth_7d", "growth_30d", "growth_30d_percent"] as const),
  ...(["reach_30d", "err_30d", "reach_24h", "reach_48h", "ad_reach_24h", "ad_reach_48h"] as const),
] as const satisfies readonly MetricName[];

export type OrderedMetric = (typeof ORDERED_METRICS)[number];

/** Metrics with a filter `<metric>_min`. */
export const FILTERED_METRICS = [
  ...(["growth_30d", "reach_30d", "err_30d"] as const),
  ...(["reach_24h", "reach_48h", "ad_reach_24h", "ad_reach_48h"] as const),
] as const satisfies readonly OrderedMetric[];

/** Minimum values as stored: ERR in hundredths of a percent. */
export type MetricsMin = { readonly [Name in (typeof FILTERED_METRICS)[number]]?: number };

/**
 * With fewer subscribers percentages mean little, so such channels are left out of orderings by one.
 */
export const SMALL_BELOW = 100;

export function isPercent(name: OrderedMetric): boolean {
  return name === "growth_30d_percent" || name === "err_30d";
}

/** A channel whose last reading is older than this has no growth, and is left out of orderings by metrics. */
export const FRESH_DAYS = 7;

/** Marks by which orderings by metrics show a channel or leave it out, as of the last run; 1 or 0. */
export interface Listing {
  is_fresh: number;
  is_small: number;
}

/** How many days off the reading to compare with may be. */
export const GROWTH_SLACK_DAYS = 2;

/** Moscow days up to the last reading's whose posts are counted. */
export const ENGAGEMENT_DAYS = 30;

/**
 * A percentage in hundredths, as it is stored: an integer is exact. Null if the whole is 0.
 */
export function hundredthsOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part * 10_000) / whole);
}

export function percentOf(hundredths: number | null): number | null {
  return hundredths === null ? null : hundredths / 100;
}

const growth = (days: string) =>
  shape.nullable(
    shape.integer(
      `Change of subscribers over ${days} up to the last reading; null: no reading to compare with, or the last is older than ${FRESH_DAYS} days`,
    ),
  );
const percent = (description: string) => shape.nullable(shape.number(description));
const count = (description: string) => shape.nullable(shape.count(description));
const reach = (posts: string, hours: number) =>
  count(`Mean views that ${posts} of these 30 days had after ${hours} hours`);
const reachPosts = (name: string) => count(`Posts with a reading for \`${name}\``);

export const metricsSchema = shape.object(
  {
    growth_1d: growth("a day"),
    growth_7d: growth("7 days"),
    growth_30d: growth("30 days"),
    growth_7d_percent: percent("`growth_7d` in percent of the subscribers before"),
    growth_30d_percent: percent("`growth_30d` in percent of the subscribers before"),
    posts_30d: count(
      "Posts of the 30 days up to `statistics_until`, or to yesterday if it is null; null: no posts are known at all",
    ),
    ads_30d: count("Advertising posts among `posts_30d`"),
    reach_30d: count(
      "Mean views of these posts, without today's and those whose views are unknown",
    ),
    err_30d: percent("`reach_30d` in percent of the subscribers"),
    statistics_until: shape.nullable(
      shape.day("Day of the last reading of subscribers, on which the 1, 7 and 30 days end"),
    ),
    reach_24h: reach("posts", 24),
    reach_24h_posts: reachPosts("reach_24h"),
    reach_48h: reach("posts", 48),
    reach_48h_posts: reachPosts("reach_48h"),
    ad_reach_24h: reach("advertising posts", 24),
    ad_reach_24h_posts: reachPosts("ad_reach_24h"),
    ad_reach_48h: reach("advertising posts", 48),
    ad_reach_48h_posts: reachPosts("ad_reach_48h"),
  },
  "Metrics",
);

export type MetricsView = ValueOf<typeof metricsSchema>;

const UNKNOWN = Object.fromEntries(METRIC_NAMES.map((name) => [name, null])) as MetricsRecord;

/**
 * Metrics as the API shows them. @param record undefined for a channel whose metrics were never computed
 */
export function toMetricsView(record: MetricsRecord = UNKNOWN): MetricsView {
  const { growth_7d_percent, growth_30d_percent, err_30d, statistics_until } = record;
  return {
    ...record,
    growth_7d_percent: percentOf(growth_7d_percent),
    growth_30d_percent: percentOf(growth_30d_percent),
    err_30d: percentOf(err_30d),
    statistics_until: statistics_until === null ? null : formatDay(statistics_until),
  };
}
