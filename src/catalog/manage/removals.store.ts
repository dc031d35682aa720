import { type Database, statement, type Transaction } from "../../db/database.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { createLastPosts } from "../channels/channels.store.ts";
import type { RemovedChannel } from "../channels/removed-channels.store.ts";
import { mergeEachPart } from "../post-search/parts.store.ts";
import { createPostIndex } from "../post-search/post-index.ts";
import { newestPostAt } from "../posts/posts.store.ts";
import { markChangedDay } from "../statistics/open-days.ts";

export interface Removal {
  id: number;
  /** The channel it is merged into; null if it is deleted with everything it has. */
  intoId: number | null;
}

/** Webhooks and alerts that watch channels, as far as a channel's removal concerns them. */
export interface Watchers {
  count(db: Database, channelId: number): number;
  /** Makes those that watch the removed channel watch the other one too. */
  watchOther(tx: Transaction, removal: Removal): void;
  /** Makes one of them stop watching the removed channel. @returns whether there was one */
  leaveNext(tx: Transaction, removal: Removal): Promise<boolean>;
}

/**
 * Posts per step of a merge: their texts are tokenized again for the index, a few milliseconds for a long
 * one.
 */
const POSTS_PER_MERGE = 5;
/** Pages of each part of the index to merge per step, which adds fewer: FTS5 allows at most 2,000 segments. */
const PAGES_PER_MERGE = 16;
/** Rows per step. A post is in several indexes, a day in none. */
const POSTS_PER_STEP = 20;
const DAYS_PER_STEP = 100;

/** The removal in progress, of which there is one at a time. */
export function selectRemoval(db: Database): Removal | undefined {
  const sql =
    "SELECT id, into_id AS intoId FROM removed_channels WHERE is_done = 0 ORDER BY id LIMIT 1";
  return statement<Removal>(db, sql).get();
}

/** @param names of the removed channel that no other has now */
export function insertRemoval(
  tx: Transaction,
  removal: Removal,
  names: Pick<RemovedChannel, "msgr_id" | "handle">,
  now: number,
): void {
  const sql = `INSERT INTO removed_channels (id, into_id, removed_at, is_done, msgr_id, handle)
    VALUES (@id, @intoId, @now, 0, @msgr_id, @handle)`;
  statement(tx, sql).run({ ...removal, ...names, now });
}

/**
 * Moves or deletes some rows of a removed channel. If both channels have a day, or a post with one
 * messenger id, the other channel's is kept.
 * @returns whether there were any
 */
export function removeSome(tx: Transaction, removal: Removal): boolean {
  return (
    removeSomePosts(tx, removal) || removeSomeTombstones(tx, removal) || removeSomeDays(tx, removal)
  );
}

function removeSomePosts(tx: Transaction, { id, intoId }: Removal): boolean {
  const rows = statement<{ id: number; published_at: number }>(
    tx,
    "SELECT id, published_at FROM posts WHERE channel_id = ? LIMIT ?",
  ).all(id, intoId === null ? POSTS_PER_STEP : POSTS_PER_MERGE);
  if (rows.length === 0) return false;
  const ids = JSON.stringify(rows.map((row) => row.id));
  if (intoId !== null) {
    statement(
      tx,
      `UPDATE OR IGNORE posts SET channel_id = @intoId
       WHERE id IN (SELECT value FROM json_each(@ids)) AND NOT EXISTS (
         SELECT 1 FROM post_tombstones t
         WHERE t.channel_id = @intoId AND t.msgr_post_id = posts.msgr_post_id)`,
    ).run({ intoId, ids });
    const index = createPostIndex(tx);
    for (const row of rows) index.reindex(row.id);
    index.write();
    mergeEachPart(tx, PAGES_PER_MERGE);
    const days = new Set(rows.map((row) => dayOf(row.published_at)));
    for (const day of days) markChangedDay(tx, intoId, day);
  }
  statement(
    tx,
    `DELETE FROM posts
     WHERE id IN (SELECT value FROM json_each(@ids)) AND +channel_id = @id`,
  ).run({ ids, id });
  return true;
}

/**
 * Moves tombstones, so that posts stay taken down in the other channel. If that channel has a post of its
 * own with the messenger id, live or taken down, the tombstone loses the id and only reserves its number.
 */
function removeSomeTombstones(tx: Transaction, { id, intoId }: Removal): boolean {
  const some = "id IN (SELECT id FROM post_tombstones WHERE channel_id = @id LIMIT @limit)";
  const change =
    intoId === null
      ? statement(tx, `DELETE FROM post_tombstones WHERE ${some}`)
      : statement(
          tx,
          `UPDATE post_tombstones SET channel_id = @intoId, msgr_post_id = iif(
             EXISTS (SELECT 1 FROM posts p
               WHERE p.channel_id = @intoId AND p.msgr_post_id = post_tombstones.msgr_post_id)
             OR EXISTS (SELECT 1 FROM post_tombstones t
               WHERE t.channel_id = @intoId AND t.msgr_post_id = post_tombstones.msgr_post_id),
             NULL, msgr_post_id)
           WHERE ${some}`,
        );
  return change.run({ id, intoId, limit: POSTS_PER_STEP }).changes > 0;
}

function removeSomeDays(tx: Transaction, { id, intoId }: Removal): boolean {
  const days = statement<{ day: number }>(
    tx,
    "SELECT day FROM daily_statistics WHERE channel_id = ? ORDER BY day LIMIT ?",
  ).all(id, DAYS_PER_STEP);
  const last = days.at(-1)?.day;
  if (last === undefined) return false;
  if (intoId !== null) {
    statement(
      tx,
      `UPDATE OR IGNORE daily_statistics SET channel_id = @intoId
       WHERE channel_id = @id AND day <= @last`,
    ).run({ id, intoId, last });
  }
  statement(tx, "DELETE FROM daily_statistics WHERE channel_id = ? AND day <= ?").run(id, last);
  return true;
}

export function endRemoval(tx: Transaction, { id, intoId }: Removal): void {
  const newest = intoId === null ? null : newestPostAt(tx, intoId);
  if (intoId !== null && newest !== null) createLastPosts(tx)(intoId, newest);
  statement(tx, "DELETE FROM channels WHERE id = ?").run(id);
  // Redirects channels that were merged into this one earlier.
  statement(tx, "UPDATE removed_channels SET into_id = @intoId WHERE into_id = @id").run({
    id,
    intoId,
  });
  statement(tx, "UPDATE removed_channels SET is_done = 1 WHERE id = ?").run(id);
}

export function countRows(db: Database, id: number): { posts: number; days: number } {
  const sql = `SELECT (SELECT count(*) FROM posts WHERE channel_id = @id) AS posts,
    (SELECT count(*) FROM daily_statistics WHERE channel_id = @id) AS days`;
  const counts = statement<{ posts: number; days: number }>(db, sql).get({ id });
  return counts ?? { posts: 0, days: 0 };
}
