import type { Database } from "../../db/database.ts";
import { onceEach } from "../../values/kept-briefly.ts";
import type { PostRecord } from "../posts/post.ts";
import { selectText } from "../posts/posts.store.ts";
import { createIndexEntries, type SearchedRow, type StoredPost } from "./catch-up.store.ts";
import { type IndexedWords, indexWords, levelOf } from "./index-text.ts";
import type { Part } from "./parts.store.ts";
import { isIndexed, type State, selectState, updateSpill } from "./post-search-state.store.ts";
import { createVocabulary } from "./vocabulary.store.ts";

/** Fields of a post that affect its index entry, apart from the level of its views. */
const INDEXED_FIELDS = ["channel", "text", "published_at", "is_ad", "media"] as const;

export type PostIndex = ReturnType<typeof createPostIndex>;

/**
 * Updates the index for posts being written, inside the caller's transactions. Posts are collected first
 * and written together in the order of their rows, because FTS5 starts another segment whenever a row is
 * below the previous one.
 */
export function createPostIndex(db: Database) {
  const entries = createIndexEntries(db);
  const vocabulary = createVocabulary(db);
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

  /** Removes the outdated entries of collected posts. @returns the posts that exist, in the order of rows */
  function removeOutdated(): StoredPost[] {
    const posts: StoredPost[] = [];
    for (const [id, { collected, isStored }] of changed) {
      if (isStored) entries.remove(id);
      const post = collected ?? entries.post(id);
      if (post !== undefined) posts.push(post);
    }
    return posts.sort((one, other) => one.published_at - other.published_at || one.id - other.id);
  }

  function writeEntries(state: State): void {
    vocabulary.begin(state.edition);
    entries.begin();
    for (const [id, views] of refreshed) entries.setViews(id, views);
    const channelFacets = onceEach(entries.channelFacets);
    let { spill } = state;
    for (const post of removeOutdated()) {
      const facets = channelFacets(post.channel_id);
      if (facets === null) continue;
      const words = read.get(post.id) ?? indexWords(selectText(db, post.id) ?? "");
      spill = Math.max(spill, entries.add(post, words, facets));
      vocabulary.add(post.id, words);
    }
    if (spill > state.spill) updateSpill(db, spill);
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

    has: entries.has,

    /**
     * Adds posts that have rows to the part that is being built, in the order of rows. Those that are not
     * what their rows say are indexed anew.
     */
    addTo(part: Part, rows: readonly SearchedRow[]): void {
      vocabulary.begin(selectState(db).edition);
      const channelFacets = onceEach(entries.channelFacets);
      for (const row of rows) {
        const post = row.isSame === 1 ? entries.post(row.id) : undefined;
        const facets = post && channelFacets(post.channel_id);
        if (post === undefined || facets == null) this.reindex(row.id);
        else {
          const words = indexWords(selectText(db, post.id) ?? "");
          entries.addTo(part, row, post, words, facets);
          vocabulary.add(null, words);
        }
      }
      this.write();
    },

    /** Writes what was collected; does nothing if post search is off. */
    write(): void {
      areTextsChanging = changed.size > 0;
      if (changed.size + refreshed.size === 0) return;
      const state = selectState(db);
      isOn = isIndexed(state.phase);
      if (isOn) writeEntries(state);
      changed.clear();
      refreshed.clear();
      read.clear();
    },
  };
}
