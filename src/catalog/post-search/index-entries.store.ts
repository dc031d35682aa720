import { type Database, statement } from "../../db/database.ts";
import { freeRow, minuteRow } from "./index-rows.ts";
import { facetsText, type IndexedPost, type IndexedWords } from "./index-text.ts";

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
