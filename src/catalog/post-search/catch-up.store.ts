import { type Database, statement, type Transaction } from "../../db/database.ts";
import {
  facetsText,
  freeRow,
  type IndexedPost,
  type IndexedWords,
  minuteRow,
} from "./index-text.ts";

interface SizedPost {
  id: number;
  published_at: number;
  bytes: number;
}

export function postsAfter(db: Database, afterId: number, limit: number): SizedPost[] {
  return statement<SizedPost>(
    db,
    `SELECT id, published_at, octet_length(text) AS bytes FROM posts
     WHERE id > ? ORDER BY id LIMIT ?`,
  ).all(afterId, limit);
}

/** A channel whose posts must be reindexed, and the last post that already was. */
interface StaleChannel {
  channel_id: number;
  after_at: number;
  after_id: number;
}

export function nextStaleChannel(db: Database): StaleChannel | undefined {
  return statement<StaleChannel>(
    db,
    "SELECT channel_id, after_at, after_id FROM post_search_stale ORDER BY channel_id LIMIT 1",
  ).get();
}

/** Its posts that are still to be reindexed. */
export function postsOfStaleChannel(
  db: Database,
  { channel_id, after_at, after_id }: StaleChannel,
  limit: number,
): SizedPost[] {
  return statement<SizedPost>(
    db,
    `SELECT id, published_at, octet_length(text) AS bytes FROM posts
     WHERE channel_id = ? AND (published_at, id) > (?, ?)
     ORDER BY published_at, id LIMIT ?`,
  ).all(channel_id, after_at, after_id, limit);
}

export function updateStaleChannel(tx: Transaction, channel: StaleChannel): void {
  statement(
    tx,
    `UPDATE post_search_stale SET after_at = @after_at, after_id = @after_id
     WHERE channel_id = @channel_id`,
  ).run(channel);
}

export function removeStaleChannel(tx: Transaction, { channel_id }: StaleChannel): void {
  statement(tx, "DELETE FROM post_search_stale WHERE channel_id = ?").run(channel_id);
}

/** Those of the channels that lack rows needed for indexing their posts. */
export function missingChannels(db: Database, channels: readonly number[]): number[] {
  return statement<{ id: number }>(
    db,
    `SELECT value AS id FROM json_each(?) WHERE NOT EXISTS (
       SELECT 1 FROM channels c CROSS JOIN channel_texts t ON t.id = c.id WHERE c.id = value)`,
  )
    .all(JSON.stringify(channels))
    .map(({ id }) => id);
}

/**
 * Marks channels that have posts, so that the posts are reindexed. The schema's triggers do this for a
 * channel that changes; this is for one that arrived after its posts, as may happen on a node of a cluster.
 */
export function noteStale(tx: Transaction, channels: readonly number[]): void {
  statement(
    tx,
    `INSERT INTO post_search_stale (channel_id, after_at, after_id)
     SELECT value, -9007199254740991, 0 FROM json_each(?)
     WHERE (SELECT phase FROM post_search_state) IN ('building', 'ready')
       AND EXISTS (SELECT 1 FROM posts WHERE channel_id = value)
     ON CONFLICT (channel_id) DO UPDATE SET after_at = excluded.after_at, after_id = 0`,
  ).run(JSON.stringify(channels));
}

/**
 * The index's tables with their keys, and the number of rows to remove in one step: FTS5 would empty itself
 * in one go, holding the lock for seconds. The rows of posts go first, so that deleting a post meanwhile
 * does not touch FTS5.
 */
const CLEARED = [
  ["searched_posts", "row", 1_000],
  ["post_search_stale", "channel_id", 1_000],
  ["post_search_stems", "stem", 1_000],
  ["post_search_docsize", "id", 1_000],
  ["post_search_idx", "segid, term", 500],
  // Pages of 4 KB.
  ["post_search_data", "id", 100],
] as const;

/** Rows 1 and 10 of FTS5's data describe its structure; all others are its pages. */
const DATA_FIRST = 11;

/** Removes rows of the first table that has any. @returns false once all tables are empty */
export function clearSome(db: Transaction): boolean {
  return db.changingShadowTables(() =>
    CLEARED.some(([table, key, rows]) => {
      const pages = table === "post_search_data" ? `WHERE id >= ${DATA_FIRST}` : "";
      const some = `SELECT ${key} FROM ${table} ${pages} ORDER BY ${key} LIMIT ${rows}`;
      return db.prepare(`DELETE FROM ${table} WHERE (${key}) IN (${some})`).run().changes > 0;
    }),
  );
}

/** Initializes the index again after its pages were removed. */
export function emptyIndex(tx: Transaction): void {
  statement(tx, "INSERT INTO post_search (post_search) VALUES ('delete-all')").run();
  statement(
    tx,
    "UPDATE post_search_state SET spill = 0, edition = edition + 1, dictionary = ''",
  ).run();
}

export type StoredPost = Omit<IndexedPost, "channel_text"> & { id: number; published_at: number };

/** Finds and writes the index's entries of posts, inside the caller's transactions. */
export function createIndexEntries(db: Database) {
  const find = statement<StoredPost>(
    db,
    "SELECT id, channel_id, published_at, is_ad, views, media FROM posts WHERE id = ?",
  );
  const findChannel = statement<{ search_text: string }>(
    db,
    `SELECT t.search_text FROM channels c CROSS JOIN channel_texts t ON t.id = c.id
     WHERE c.id = ? AND c.is_public = 1`,
  );
  const indexed = statement<{ row: number }>(
    db,
    "SELECT row FROM searched_posts WHERE post_id = ?",
  );
  const lastRow = statement<{ row: number | null }>(
    db,
    "SELECT max(row) AS row FROM searched_posts WHERE row >= ? AND row < ?",
  );
  const removeTokens = statement(db, "DELETE FROM post_search WHERE rowid = ?");
  const removeRow = statement(db, "DELETE FROM searched_posts WHERE row = ?");
  const addTokens = statement(db, "INSERT INTO post_search (rowid, tokens) VALUES (?, ? || ?)");
  const addRow = statement(
    db,
    `INSERT INTO searched_posts (row, post_id, channel_id, published_at, views, words)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const setViews = statement(db, "UPDATE searched_posts SET views = ? WHERE post_id = ?");

  const lastIn = (first: number, end: number): number | null =>
    lastRow.get(first, end)?.row ?? null;

  return {
    /** The post as stored now; undefined if it is gone. */
    post: (id: number): StoredPost | undefined => find.get(id),

    /** Search text of a public channel; null if there is none. */
    channelText: (id: number): string | null => findChannel.get(id)?.search_text ?? null,

    has: (id: number): boolean => indexed.get(id) !== undefined,

    remove(id: number): void {
      const row = indexed.get(id)?.row;
      if (row === undefined) return;
      removeTokens.run(row);
      removeRow.run(row);
    },

    setViews(id: number, views: number): void {
      setViews.run(views, id);
    },

    /**
     * Adds a post's entry.
     * @param words of its text
     * @returns distance of its row from the first row of its minute (index-rows.ts)
     */
    add(post: StoredPost, { tokens, words }: IndexedWords, channelText: string): number {
      const row = freeRow(post.published_at, lastIn);
      addTokens.run(row, tokens, facetsText({ ...post, channel_text: channelText }));
      addRow.run(row, post.id, post.channel_id, post.published_at, post.views, words);
      return row - minuteRow(post.published_at);
    },
  };
}
