import { type Database, statement, type Transaction } from "../../db/database.ts";
import type { IndexedPost, IndexedWords } from "./index-text.ts";
import { facetsText, freeRow, minuteRow } from "./index-text.ts";
import { createPart, type Part, selectParts, tableOf } from "./parts.store.ts";

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
     WHERE (SELECT phase FROM post_search_state) IN ('building', 'comparing', 'ready')
       AND EXISTS (SELECT 1 FROM posts WHERE channel_id = value)
     ON CONFLICT (channel_id) DO UPDATE SET after_at = excluded.after_at, after_id = 0`,
  ).run(JSON.stringify(channels));
}

/** Tables beside the parts, with their keys. */
const CLEARED = [
  ["searched_posts", "row"],
  ["post_search_stale", "channel_id"],
  ["post_search_stems", "stem"],
] as const;

/** Removes rows of the first table that has any. @returns false once all tables are empty */
export function clearSome(db: Transaction): boolean {
  return CLEARED.some(([table, key]) => {
    const some = `SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1000`;
    return statement(db, `DELETE FROM ${table} WHERE ${key} IN (${some})`).run().changes > 0;
  });
}

export function noteEmptied(tx: Transaction): void {
  statement(tx, "UPDATE post_search_state SET spill = 0, edition = edition + 1").run();
}

/** A row of the index, and how it compares with its post. */
export interface SearchedRow {
  row: number;
  id: number;
  words: number;
  /** Length of the text in bytes; 0 if the post is gone. */
  bytes: number;
  /** Whether it still is of the post as stored. */
  isSame: 0 | 1;
}

/** Rows from one up to before another, ascending. */
export function searchedRows(
  db: Database,
  after: number,
  end: number,
  limit: number,
): SearchedRow[] {
  return statement<SearchedRow>(
    db,
    `SELECT s.row, s.post_id AS id, s.words, ifnull(octet_length(p.text), 0) AS bytes,
       p.channel_id IS s.channel_id AND p.published_at IS s.published_at
         AND p.views IS s.views AS isSame
     FROM searched_posts s LEFT JOIN posts p ON p.id = s.post_id
     WHERE s.row > ? AND s.row < ? ORDER BY s.row LIMIT ?`,
  ).all(after, end, limit);
}

export type StoredPost = Omit<IndexedPost, "channel_facets"> & { id: number; published_at: number };

/** Finds and writes the index's entries of posts, inside the caller's transactions. */
export function createIndexEntries(db: Database) {
  const find = statement<StoredPost>(
    db,
    "SELECT id, channel_id, published_at, is_ad, views, media FROM posts WHERE id = ?",
  );
  const findChannel = statement<{ facets: string }>(
    db,
    `SELECT t.facets FROM channels c CROSS JOIN channel_texts t ON t.id = c.id
     WHERE c.id = ? AND c.is_public = 1`,
  );
  const indexed = statement(
    db,
    `SELECT 1 FROM searched_posts s CROSS JOIN posts p ON p.id = s.post_id
     WHERE s.post_id = ? AND p.channel_id = s.channel_id AND p.published_at = s.published_at
       AND p.views = s.views`,
  );
  const lastRow = statement<{ row: number | null }>(
    db,
    "SELECT max(row) AS row FROM searched_posts WHERE row >= ? AND row < ?",
  );
  const removeRow = statement(db, "DELETE FROM searched_posts WHERE post_id = ?");
  const addRow = statement(
    db,
    `INSERT INTO searched_posts (row, post_id, channel_id, published_at, views, words)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const setViews = statement(db, "UPDATE searched_posts SET views = ? WHERE post_id = ?");
  const setWords = statement(db, "UPDATE searched_posts SET words = ? WHERE row = ?");
  let parts: Part[] = [];

  function addTokens(part: Part, row: number, tokens: Buffer, facets: string): void {
    const sql = `INSERT INTO ${tableOf(part)} (rowid, tokens) VALUES (?, ? || ?)`;
    statement(db, sql).run(row, tokens, facets);
  }

  /** The parts that have a row, or will once they are built. */
  function partsOf(row: number): Part[] {
    const own = parts.filter(({ first_row, end_row }) => row >= first_row && row < end_row);
    if (own.some(({ state }) => state === "read")) return own;
    const part = createPart(db, row, "read");
    parts.push(part);
    return [...own, part];
  }

  const lastIn = (first: number, end: number): number | null =>
    lastRow.get(first, end)?.row ?? null;

  return {
    /** The post as stored now; undefined if it is gone. */
    post: (id: number): StoredPost | undefined => find.get(id),

    /** Facets of a public channel; null if there is none. */
    channelFacets: (id: number): string | null => findChannel.get(id)?.facets ?? null,

    /** Whether the index has a post as it is stored, its text aside. */
    has: (id: number): boolean => indexed.get(id) !== undefined,

    /** Must be called in each transaction, before posts are added. */
    begin(): void {
      parts = selectParts(db).filter(({ state }) => state !== "leaving");
    },

    /** Removes a post's row, and with it its tokens. */
    remove(id: number): void {
      removeRow.run(id);
    },

    setViews(id: number, views: number): void {
      setViews.run(views, id);
    },

    /**
     * Adds a post's entry.
     * @param words of its text
     * @returns distance of its row from the first row of its minute (index-text.ts)
     */
    add(post: StoredPost, { tokens, words }: IndexedWords, channelFacets: string): number {
      const row = freeRow(post.published_at, lastIn);
      const facets = facetsText({ ...post, channel_facets: channelFacets });
      for (const part of partsOf(row)) {
        if (part.state === "read" || row <= part.after_row) addTokens(part, row, tokens, facets);
      }
      addRow.run(row, post.id, post.channel_id, post.published_at, post.views, words);
      return row - minuteRow(post.published_at);
    },

    /** Adds the tokens of a post that has a row to the part that is being built. */
    addTo(
      part: Part,
      { row, words: known }: Pick<SearchedRow, "row" | "words">,
      post: StoredPost,
      { tokens, words }: IndexedWords,
      channelFacets: string,
    ): void {
      addTokens(part, row, tokens, facetsText({ ...post, channel_facets: channelFacets }));
      if (words !== known) setWords.run(words, row);
    },
  };
}
