import { type Database, statement } from "../../../db/database.ts";
import type { MentionTarget } from "../../mentions/mention.ts";
import { KIND_BITS } from "../../mentions/mentions.store.ts";
import { POST_COLUMNS, type PostRecord } from "../../posts/post.ts";
import type { Tombstone } from "../../posts/tombstones.store.ts";

/**
 * Rows after a key, in the key's order. SQLite enters an index exactly there, so that each page costs the
 * same, wherever it begins. Rows are read one at a time, and the caller stops when it has enough.
 */

/**
 * Name of the channel that a post was forwarded from, if that was not in the catalog when the post was
 * imported.
 */
export function forwardOutsideCatalog(
  db: Database,
  { channel, published_at: publishedAt, id }: PostRecord,
): MentionTarget | undefined {
  const sql = `SELECT target FROM mentions
    WHERE channel_id = @channel AND published_at = @publishedAt AND post_id = @id
      AND kinds & ${KIND_BITS.forward} LIMIT 1`;
  return statement<{ target: MentionTarget }>(db, sql).get({ channel, publishedAt, id })?.target;
}

export function postsAfter(db: Database, afterId: number, limit: number): Iterable<PostRecord> {
  const sql = `SELECT ${POST_COLUMNS} FROM posts p WHERE p.id > ? ORDER BY p.id LIMIT ?`;
  return statement<PostRecord>(db, sql).iterate(afterId, limit);
}

/** A post that was taken down, and when it had been published; null if that was never known. */
interface TakenDownPost extends Tombstone {
  publishedAt: number | null;
}

export function tombstonesAfter(
  db: Database,
  afterId: number,
  limit: number,
): Iterable<TakenDownPost> {
  const sql = `SELECT id, channel_id AS channel, CAST(msgr_post_id AS TEXT) AS msgr_post_id,
      published_at AS publishedAt
    FROM post_tombstones WHERE id > ? ORDER BY id LIMIT ?`;
  return statement<TakenDownPost>(db, sql).iterate(afterId, limit);
}

/** Highest number that any post had, if neither a post nor a tombstone has it now. */
export function highestGoneNumber(db: Database): number | undefined {
  const sql = `SELECT highest FROM post_numbers
    WHERE highest > max(coalesce((SELECT max(id) FROM posts), 0),
      coalesce((SELECT max(id) FROM post_tombstones), 0))`;
  return statement<{ highest: number }>(db, sql).get()?.highest;
}

/** The highest number of posts that are gone. */
export function highestRemoved(db: Database): number {
  return statement<{ highest: number }>(db, "SELECT highest FROM post_numbers").get()?.highest ?? 0;
}

/** Posts of a channel after an instant or after one of its posts, by instant and id. */
export function* channelPostsAfter(
  db: Database,
  [channelId, publishedAt, id]: readonly [
    channelId: number,
    publishedAt: number,
    id: number | null,
  ],
  limit: number,
  areAds = false,
): Generator<PostRecord> {
  // Uses the index that contains only advertising posts.
  const ads = areAds ? "AND p.is_ad = 1" : "";
  const posts = (condition: string, order: string): string =>
    `SELECT ${POST_COLUMNS} FROM posts p WHERE p.channel_id = ? AND ${condition} ${ads}
     ORDER BY ${order} LIMIT ?`;
  let read = 0;
  if (id !== null) {
    const tied = statement<PostRecord>(db, posts("p.published_at = ? AND p.id > ?", "p.id"));
    for (const record of tied.iterate(channelId, publishedAt, id, limit)) {
      read += 1;
      yield record;
    }
  }
  const later = statement<PostRecord>(db, posts("p.published_at > ?", "p.published_at, p.id"));
  yield* later.iterate(channelId, publishedAt, limit - read);
}

/** The next channel, by number, that has posts. */
export function nextChannelOfPosts(db: Database, afterId: number): number | undefined {
  const sql = "SELECT channel_id AS id FROM posts WHERE channel_id > ? ORDER BY channel_id LIMIT 1";
  return statement<{ id: number }>(db, sql).get(afterId)?.id;
}

/** Position of a post in the order of channels and time, also of one that was taken down. */
export function placeOfPost(
  db: Database,
  id: number,
): { channel: number; publishedAt: number } | undefined {
  const sql = `SELECT channel_id AS channel, published_at AS publishedAt FROM posts WHERE id = @id
    UNION ALL
    SELECT channel_id, published_at FROM post_tombstones
    WHERE id = @id AND published_at IS NOT NULL
    LIMIT 1`;
  return statement<{ channel: number; publishedAt: number }>(db, sql).get({ id });
}
