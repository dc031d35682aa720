import { type Database, statement } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";
import { POST_COLUMNS, type PostRecord } from "../posts/post.ts";
import type { StatisticsRecord } from "../statistics/statistics.store.ts";

/**
 * Rows behind a key in the key's order. SQLite enters an index right behind the key, so that each page
 * costs the same, wherever it begins. Rows are read one at a time, and the caller breaks off where it has
 * enough.
 */

/** Posts by id. */
export function postsAfter(db: Database, afterId: number, limit: number): Iterable<PostRecord> {
  return statement<PostRecord>(
    db,
    `SELECT ${POST_COLUMNS} FROM posts p WHERE p.id > ? ORDER BY p.id LIMIT ?`,
  ).iterate(afterId, limit);
}

/** Posts of a channel at one instant, by id. */
export function tiedPostsAfter(
  db: Database,
  [channelId, publishedAt, id]: readonly [channelId: number, publishedAt: number, id: number],
  limit: number,
): Iterable<PostRecord> {
  return statement<PostRecord>(
    db,
    `SELECT ${POST_COLUMNS} FROM posts p
     WHERE p.channel_id = ? AND p.published_at = ? AND p.id > ? ORDER BY p.id LIMIT ?`,
  ).iterate(channelId, publishedAt, id, limit);
}

/** Posts of a channel after an instant, by instant and id. */
export function laterPosts(
  db: Database,
  [channelId, publishedAt]: readonly [channelId: number, publishedAt: number],
  limit: number,
): Iterable<PostRecord> {
  return statement<PostRecord>(
    db,
    `SELECT ${POST_COLUMNS} FROM posts p WHERE p.channel_id = ? AND p.published_at > ?
     ORDER BY p.published_at, p.id LIMIT ?`,
  ).iterate(channelId, publishedAt, limit);
}

/** Days by channel and day. */
export function daysAfter(
  db: Database,
  [channelId, day]: readonly [channelId: number, day: Day],
  limit: number,
): Iterable<StatisticsRecord> {
  return statement<StatisticsRecord>(
    db,
    `SELECT s.channel_id AS channelId, s.day, s.subscribers, s.views, s.posts,
       s.views_given AS viewsGiven, s.posts_given AS postsGiven
     FROM daily_statistics s WHERE (s.channel_id, s.day) > (?, ?)
     ORDER BY s.channel_id, s.day LIMIT ?`,
  ).iterate(channelId, day, limit);
}
