import { type Database, statement } from "../../db/database.ts";
import type { PostRecord } from "../posts/post.ts";
import { freeRow, minuteRow } from "./index-rows.ts";
import {
  type IndexedPost,
  type IndexedWords,
  indexText,
  indexWords,
  levelOf,
} from "./index-text.ts";
import { isIndexed, selectState, updateSpill } from "./post-search-state.store.ts";
import { createVocabulary } from "./vocabulary.store.ts";

/** What the index has of a post, beside its words, is that of these fields and of its views' level. */
const INDEXED_FIELDS = ["channel", "text", "published_at", "is_ad", "media"] as const;

export type PostIndex = ReturnType<typeof createPostIndex>;

/**
 * Brings the index to posts that were written; its calls come inside the transactions that write them.
 * Posts are collected first: FTS5 begins another segment at each row that comes before the one before, so
 * those of a transaction are written together, in the order of their rows.
 */
export function createPostIndex(db: Database) {
  const find = statement<IndexedPost>(
    db,
    `SELECT p.id, p.channel_id, p.published_at, p.is_ad, p.views, p.media, p.text,
       t.search_text AS channel_text
     FROM posts p CROSS JOIN channels c ON c.id = p.channel_id
       CROSS JOIN channel_texts t ON t.id = p.channel_id
     WHERE p.id = ? AND c.is_public = 1`,
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
  const addTokens = statement(db, "INSERT INTO post_search (rowid, tokens) VALUES (?, ?)");
  const addRow = statement(
    db,
    `INSERT INTO searched_posts (row, post_id, channel_id, published_at, views, words)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const setViews = statement(db, "UPDATE searched_posts SET views = ? WHERE post_id = ?");
  /** Numbers of posts whose entries are to be written. */
  const changed = new Set<number>();
  /** Views by post, of those of which nothing else changed. */
  const refreshed = new Map<number, number>();

  /** Words of posts that were noted. */
  const read = new Map<number, { text: string; words: IndexedWords }>();
  /** As it was at the transaction before; the one under way looks again before it writes. */
  let isOn = isIndexed(selectState(db).phase);
  const vocabulary = createVocabulary(db);

  const lastIn = (first: number, end: number): number | null =>
    lastRow.get(first, end)?.row ?? null;

  function remove(id: number): void {
    const row = indexed.get(id)?.row;
    if (row === undefined) return;
    removeTokens.run(row);
    removeRow.run(row);
  }

  return {
    /** @param before the post as it was stored; undefined for a new one */
    note(post: PostRecord, before: PostRecord | undefined): void {
      const isSame =
        before !== undefined &&
        INDEXED_FIELDS.every((name) => before[name] === post[name]) &&
        levelOf(before.views) === levelOf(post.views);
      if (!isSame) {
        changed.add(post.id);
        // Read with its row: an import ends a transaction by what its rows cost so far.
        if (isOn) read.set(post.id, { text: post.text, words: indexWords(post.text) });
      }
      if (isSame && before.views !== post.views) refreshed.set(post.id, post.views);
    },

    /** A post that is to be written anew, or that is there no more. */
    again(id: number): void {
      changed.add(id);
    },

    has: (id: number): boolean => indexed.get(id) !== undefined,

    /** Writes what was collected; nothing where post search is off. */
    write(): void {
      if (changed.size + refreshed.size === 0) return;
      const state = selectState(db);
      isOn = isIndexed(state.phase);
      if (isOn) {
        vocabulary.begin(state.edition);
        let { spill } = state;
        for (const [id, views] of refreshed) setViews.run(views, id);
        const posts: IndexedPost[] = [];
        for (const id of changed) {
          remove(id);
          const post = find.get(id);
          if (post !== undefined) posts.push(post);
        }
        posts.sort((one, other) => one.published_at - other.published_at || one.id - other.id);
        for (const post of posts) {
          const row = freeRow(post.published_at, lastIn);
          spill = Math.max(spill, row - minuteRow(post.published_at));
          const known = read.get(post.id);
          const words = known?.text === post.text ? known.words : indexWords(post.text);
          addTokens.run(row, indexText(post, words));
          addRow.run(row, post.id, post.channel_id, post.published_at, post.views, words.words);
          vocabulary.add(post.id, words.stems);
        }
        if (spill > state.spill) updateSpill(db, spill);
      }
      changed.clear();
      refreshed.clear();
      read.clear();
    },
  };
}
