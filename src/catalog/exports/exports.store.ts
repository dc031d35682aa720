import { type Database, statement } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";
import { CHANNEL_COLUMNS, type ChannelRecord } from "../channels/card.ts";
import { POST_COLUMNS, type PostRecord } from "../posts/post.ts";
import type { StatisticsRecord } from "../statistics/statistics.store.ts";

/**
 * Rows behind a key in the key's order, from the index that has it: each page costs the same, wherever
 * it begins. They are read one at a time, and the caller breaks off where it has enough.
 */

/** Channels, hidden ones too, by id. @param lastId null: to the last */
export function channelsAfter(
  db: Database,
  afterId: number,
  lastId: number | null,
  limit: number,
): Iterable<ChannelRecord> {
  return statement<ChannelRecord>(
    db,
    `SELECT ${CHANNEL_COLUMNS} FROM channels c CROSS JOIN channel_cards k ON k.id = c.id
     WHERE c.id > ? AND c.id <= ? ORDER BY c.id LIMIT ?`,
  ).iterate(afterId, lastId ?? Number.MAX_SAFE_INTEGER, limit);
}

/** All posts by id. */
export function postsAfter(db: Database, afterId: number, limit: number): Iterable<PostRecord> {
  return statement<PostRecord>(
    db,
    `SELECT ${POST_COLUMNS} FROM posts p WHERE p.id > ? ORDER BY p.id LIMIT ?`,
  ).iterate(afterId, limit);
}

/** Posts of one channel by instant and id. @param untilMs not included */
export function channelPostsAfter(
  db: Database,
  channelId: number,
  [afterMs, afterId]: readonly [ms: number, id: number],
  untilMs: number,
  limit: number,
): Iterable<PostRecord> {
  return statement<PostRecord>(
    db,
    `SELECT ${POST_COLUMNS} FROM posts p
     WHERE p.channel_id = ? AND (p.published_at, p.id) > (?, ?) AND p.published_at < ?
     ORDER BY p.published_at, p.id LIMIT ?`,
  ).iterate(channelId, afterMs, afterId, untilMs, limit);
}

const DAY_COLUMNS = "s.channel_id AS channelId, s.day, s.subscribers, s.views, s.posts";

/** Days of all channels, by channel and day. */
export function daysAfter(
  db: Database,
  [channelId, day]: readonly [channelId: number, day: Day],
  limit: number,
): Iterable<StatisticsRecord> {
  return statement<StatisticsRecord>(
    db,
    `SELECT ${DAY_COLUMNS} FROM daily_statistics s WHERE (s.channel_id, s.day) > (?, ?)
     ORDER BY s.channel_id, s.day LIMIT ?`,
  ).iterate(channelId, day, limit);
}

/** Days of one channel. @param last included */
export function channelDaysAfter(
  db: Database,
  channelId: number,
  afterDay: Day,
  last: Day,
  limit: number,
): Iterable<StatisticsRecord> {
  return statement<StatisticsRecord>(
    db,
    `SELECT ${DAY_COLUMNS} FROM daily_statistics s
     WHERE s.channel_id = ? AND s.day > ? AND s.day <= ? ORDER BY s.day LIMIT ?`,
  ).iterate(channelId, afterDay, last, limit);
}
