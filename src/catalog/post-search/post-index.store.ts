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

/** Fields of a post that the index has, beside the level of its views. */
const INDEXED_FIELDS = ["channel", "text", "published_at", "is_ad", "media"] as const;

/** A post as it is stored, without its text. */
type StoredPost = Omit<IndexedPost, "channel_text"> & { id: number; published_at: number };

export type PostIndex = ReturnType<typeof createPostIndex>;

/**
 * Brings the index to posts that were written; its calls come inside the transactions that write them.
 * Posts are collected first: FTS5 begins another segment at each row that comes before the one before, so
 * those of a transaction are written together, in the order of their rows.
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
  /** Posts whose entries are to be written: as each was noted, and whether the index may have it already. */
  const changed = new Map<number, { noted: StoredPost | null; isStored: boolean }>();
  /** Views by post, of those of which nothing else changed. */
  const refreshed = new Map<number, number>();
  /** Words of posts that were noted. */
  const read = new Map<number, IndexedWords>();
  /** Words of texts that were read before their transaction. */
  const readAhead = new Map<string, IndexedWords>();
  /** Whether the last transaction changed texts: one that only refreshes numbers reads none. */
  let areTextsChanging = true;
  /** As it was at the transaction before; the one under way looks again before it writes. */
  let isOn = isIndexed(selectState(db).phase);
  const vocabulary = createVocabulary(db);

  const lastIn = (first: number, end: number): number | null =>
    lastRow.get(first, end)?.row ?? null;

  /** Search texts of public channels, each looked for once; null: there is no such public channel. */
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
    /** @param before the post as it was stored; undefined for a new one */
    note(post: PostRecord, before: PostRecord | undefined): void {
      const isSame =
        before !== undefined &&
        INDEXED_FIELDS.every((name) => before[name] === post[name]) &&
        levelOf(before.views) === levelOf(post.views);
      const former = changed.get(post.id);
      // A post that was noted already is noted again, for its views: its entry is made of its last note.
      if (!isSame || former !== undefined) {
        const { id, channel, published_at, is_ad, views, media } = post;
        const noted = { id, channel_id: channel, published_at, is_ad, views, media };
        changed.set(id, { noted, isStored: former?.isStored ?? before !== undefined });
      } else if (before.views !== post.views) refreshed.set(post.id, post.views);
      // Read with its row: an import ends a transaction by what its rows cost so far.
      if (!isSame && isOn) read.set(post.id, readAhead.get(post.text) ?? indexWords(post.text));
    },

    /** Reads texts of posts that are likely to be written next, so that the lock is held for less. */
    readTexts(texts: readonly string[]): void {
      readAhead.clear();
      if (!isOn || !areTextsChanging) return;
      for (const text of texts) readAhead.set(text, indexWords(text));
    },

    /** A post that is to be written anew, or that is there no more: also one that was noted before. */
    again(id: number): void {
      changed.set(id, { noted: null, isStored: true });
    },

    /** Whether posts that are written are indexed, as it was at the transaction before. */
    isOn: (): boolean => isOn,

    has: (id: number): boolean => indexed.get(id) !== undefined,

    /** Writes what was collected; nothing where post search is off. */
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
        for (const [id, { noted, isStored }] of changed) {
          if (isStored) remove(id);
          const post = noted ?? find.get(id);
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
