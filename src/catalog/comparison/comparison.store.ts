import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { quantileOf } from "../../values/fields.ts";
import { jsonValueOf } from "../../values/json-text.ts";
import { type Day, formatDay, startOfDay } from "../../values/moscow-time.ts";
import { createIsPublic } from "../channels/channels.store.ts";
import { hundredthsOf, percentOf } from "../metrics/metrics.ts";
import { ARE_VIEWS_KNOWN, selectPost } from "../posts/posts.store.ts";
import type { ComparisonSelection, ComparisonView } from "./comparison.ts";

/** A single row for all posts: passing each of them to JavaScript would cost more than reading it. */
const POSTS = `
  SELECT count(*) AS posts, coalesce(sum(p.is_ad), 0) AS ads,
    json_group_array(p.views) FILTER (WHERE ${ARE_VIEWS_KNOWN}) AS views,
    json_group_array(p.id) FILTER (WHERE ${ARE_VIEWS_KNOWN}) AS ids
  FROM posts p INDEXED BY posts_by_time
  WHERE ${WITHIN_DEADLINE} AND p.channel_id = ? AND p.published_at >= ? AND p.published_at < ?`;

interface Posts {
  posts: number;
  ads: number;
  /** JSON arrays of the known views and of their posts' ids, oldest post first. */
  views: string;
  ids: string;
}

const reading = (order: "" | "DESC") => `
  SELECT subscribers FROM daily_statistics
  WHERE channel_id = ? AND day BETWEEN ? AND ? ORDER BY day ${order} LIMIT 1`;

/** Compares channels over a period, in the given order; channels that are not public are omitted. */
export function compareChannels(
  db: Database,
  { channelIds, from, to, hasBestPost }: ComparisonSelection,
): ComparisonView[] {
  const isPublic = createIsPublic(db);
  const first = statement<{ subscribers: number }>(db, reading(""));
  const last = statement<{ subscribers: number }>(db, reading("DESC"));
  return channelIds.filter(isPublic).map((channel) => ({
    channel,
    from: formatDay(from),
    to: formatDay(to),
    ...compared(
      first.get(channel, from, to)?.subscribers ?? null,
      last.get(channel, from, to)?.subscribers ?? null,
      postsOf(db, channel, from, to),
      (id) => jsonValueOf(hasBestPost ? (selectPost(db, id) ?? null) : null),
    ),
  }));
}

interface Engagement {
  posts: number;
  ads: number;
  views: Float64Array;
  /** The most viewed post; the newest if there are several. */
  bestId: number | null;
}

function postsOf(db: Database, channelId: number, from: Day, to: Day): Engagement {
  const found = statement<Posts>(db, POSTS).get(channelId, startOfDay(from), startOfDay(to + 1));
  const views = Float64Array.from(JSON.parse(found?.views ?? "[]"));
  let best = -1;
  for (const [at, count] of views.entries()) if (count >= (views[best] ?? 0)) best = at;
  const ids: number[] = JSON.parse(found?.ids ?? "[]");
  return { posts: found?.posts ?? 0, ads: found?.ads ?? 0, views, bestId: ids[best] ?? null };
}

function compared(
  first: number | null,
  last: number | null,
  { posts, ads, views, bestId }: Engagement,
  postOf: (id: number) => ComparisonView["best_post"],
): Omit<ComparisonView, "channel" | "from" | "to"> {
  const growth = first === null || last === null ? null : last - first;
  const sum = views.length === 0 ? null : views.reduce((all, one) => all + one, 0);
  const mean = sum === null ? null : Math.round(sum / views.length);
  return {
    subscribers_first: first,
    subscribers_last: last,
    growth,
    growth_percent: growth === null ? null : percentOf(hundredthsOf(growth, first ?? 0)),
    posts,
    ads,
    views: sum,
    views_mean: mean,
    views_median: quantileOf(views.sort(), 0.5),
    err: mean === null || last === null ? null : percentOf(hundredthsOf(mean, last)),
    best_post: bestId === null ? null : postOf(bestId),
  };
}
