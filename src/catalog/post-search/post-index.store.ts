import { type Database, statement } from "../../db/database.ts";
import type { PostRecord } from "../posts/post.ts";
import { selectText } from "../posts/posts.store.ts";
import { freeRow, minuteRow } from "./index-rows.ts";
import {
  facetsText,
  type IndexedPost,
  type IndexedWords,
  indexWords,
  levelOf,
} from "./index-text.ts";
import { isIndexed, selectState, updateSpill } from "./post-search-state.store.ts";
import { createVocabulary } from "./vocabulary.store.ts";

/** Fields of a post that affect its index entry, apart from the level of its views. */
const INDEXED_FIELDS = ["channel", "text", "published_at", "is_ad", "media"] as const;

/** A stored post, without its text. */
type StoredPost = Omit<IndexedPost, "channel_text"> & { id: number; published_at: number };

export type PostIndex = ReturnType<typeof createPostIndex>;

/**
 * Updates the index for posts being written, inside the caller's transactions. Posts are collected first
 * and written together in the order of their rows, because FTS5 starts another segment whenever a row is
 * below the previous one.
 */
export function createPostIndex(db: Database) {
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
  /** Posts to be indexed, each as collected, or null to read it; and whether the index may contain it. */
  const changed = new Map<number, { collected: StoredPost | null; isStored: boolean }>();
  /** Views by post, for posts of which nothing else changed. */
  const refreshed = new Map<number, number>();
  /** Words of collected posts. */
  const read = new Map<number, IndexedWords>();
  /** Words of texts that were tokenized before their transaction. */
  const readAhead = new Map<string, IndexedWords>();
  /**
   * Whether the previous transaction changed texts: an import that only refreshes numbers needs none
   * tokenized.
   */
  let areTextsChanging = true;
  /** State at the previous transaction; the current one checks again before it writes. */
  let isOn = isIndexed(selectState(db).phase);
  const vocabulary = createVocabulary(db);

  const lastIn = (first: number, end: number): number | null =>
    lastRow.get(first, end)?.row ?? null;

  /** Search texts of public channels, each looked up once; null if there is no such public channel. */
  function createChannelTexts(): (id: number) => string | null {
    const known = new Map<number, string | null>();
    return (id) => {
      let text = known.get(id);
      if (text === undefined) {
        text = findChannel.get(id)?.search_text ?? null;
        known.set(id, text);
      }
      return text;
    };
  }

  function remove(id: number): void {
    const row = indexed.get(id)?.row;
    if (row === undefined) return;
    removeTokens.run(row);
    removeRow.run(row);
  }

  return {
    /**
     * Collects a post that was just written.
     * @param before the post as it was stored before; undefined for a new one
     */
    collect(post: PostRecord, before: PostRecord | undefined): void {
      const isSame =
        before !== undefined &&
        INDEXED_FIELDS.every((name) => before[name] === post[name]) &&
        levelOf(before.views) === levelOf(post.views);
      const former = changed.get(post.id);
      // A post that was already collected must be replaced even if only its views changed, because its
      // entry is built from what was collected last.
      if (!isSame || former !== undefined) {
        const { id, channel, published_at, is_ad, views, media } = post;
        const collected = { id, channel_id: channel, published_at, is_ad, views, media };
        changed.set(id, { collected, isStored: former?.isStored ?? before !== undefined });
      } else if (before.views !== post.views) refreshed.set(post.id, post.views);
      // Tokenized with its row and not in `write`, because an import ends a transaction by what its rows
      // have cost so far.
      if (!isSame && isOn) read.set(post.id, readAhead.get(post.text) ?? indexWords(post.text));
    },

    /**
     * Tokenizes texts of posts that will probably be written next, so that the lock is held for less time.
     */
    readTexts(texts: readonly string[]): void {
      readAhead.clear();
      if (!isOn || !areTextsChanging) return;
      for (const text of texts) readAhead.set(text, indexWords(text));
    },

    /** Collects a post by its id only: `write` reads it, and removes it from the index if it is gone. */
    reindex(id: number): void {
      changed.set(id, { collected: null, isStored: true });
    },

    /** Whether posts being written are indexed, as of the previous transaction. */
    isOn: (): boolean => isOn,

    has: (id: number): boolean => indexed.get(id) !== undefined,

    /** Writes what was collected; does nothing if post search is off. */
    write(): void {
      areTextsChanging = changed.size > 0;
      if (changed.size + refreshed.size === 0) return;
      const state = selectState(db);
      isOn = isIndexed(state.phase);
      if (isOn) {
        vocabulary.begin(state.edition);
        let { spill } = state;
        for (const [id, views] of refreshed) setViews.run(views, id);
        const posts: StoredPost[] = [];
        for (const [id, { collected, isStored }] of changed) {
          if (isStored) remove(id);
          const post = collected ?? find.get(id);
          if (post !== undefined) posts.push(post);
        }
        posts.sort((one, other) => one.published_at - other.published_at || one.id - other.id);
        const channelText = createChannelTexts();
        for (const post of posts) {
          const text = channelText(post.channel_id);
          if (text === null) continue;
          const row = freeRow(post.published_at, lastIn);
          spill = Math.max(spill, row - minuteRow(post.published_at));
          const words = read.get(post.id) ?? indexWords(selectText(db, post.id) ?? "");
          addTokens.run(row, words.tokens, facetsText({ ...post, channel_text: text }));
          addRow.run(row, post.id, post.channel_id, post.published_at, post.views, words.words);
          vocabulary.add(post.id, words);
        }
        if (spill > state.spill) updateSpill(db, spill);
      }
      changed.clear();
      refreshed.clear();
      read.clear();
    },
  };
}
