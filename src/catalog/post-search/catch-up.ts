import type { Database, Transaction } from "../../db/database.ts";
import { mergePages } from "../../db/merge-pages.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { clearSome, createStaleChannels, emptyIndex, postsAfter } from "./catch-up.store.ts";
import { createPostIndex, type PostIndex } from "./post-index.store.ts";
import {
  countSearched,
  selectProgress,
  selectState,
  updateState,
} from "./post-search-state.store.ts";

/** Text in one step: some milliseconds of the write lock, in which at most one post is longer. */
const STEP_BYTES = 64 * 1024;
const STEP_POSTS = 40;
/** After this long the call ends, and the next one goes on: other jobs wait for the thread. */
const BUDGET_MS = 2_000;
const PAUSE_MS = 3;

/**
 * Goes on with what is to be done for the index, in short transactions: emptying it, building it, and
 * bringing it to channels that changed. A process that was killed leaves whole steps.
 * @param isOn the setting: it turns post search off and on
 */
export async function catchUp(db: Database, clock: Clock, isOn: boolean): Promise<void> {
  const endAtMs = clock.monotonic() + BUDGET_MS;
  const index = createPostIndex(db);
  while (hasWork(db, isOn) && clock.monotonic() < endAtMs) {
    await inTransaction(db, clock, "post-search", (tx) => step(tx, index, isOn));
    await mergePostSearch(db, clock);
    await clock.sleep(PAUSE_MS);
  }
}

/** Read outside of a transaction: mostly there is none, and whoever writes waits for no look at it. */
export function hasWork(db: Database, isOn: boolean): boolean {
  const { phase } = selectState(db);
  if (phase === "clearing" || phase === "building") return true;
  return phase === (isOn ? "off" : "ready") || createStaleChannels(db).next() !== undefined;
}

function step(tx: Transaction, index: PostIndex, isOn: boolean): void {
  const { phase, after_id: afterId } = selectState(tx);
  if (phase === "clearing") {
    if (clearSome(tx)) return;
    emptyIndex(tx);
    updateState(tx, "off", 0);
  } else if (phase === "off") {
    if (isOn) updateState(tx, "building", 0);
  } else if (!isOn) {
    updateState(tx, "clearing", 0);
  } else if (phase === "building") {
    buildSome(tx, index, afterId);
  } else {
    refreshSome(tx, index);
  }
}

function buildSome(tx: Transaction, index: PostIndex, afterId: number): void {
  const posts = cutToStep(postsAfter(tx, afterId, STEP_POSTS));
  const last = posts.at(-1);
  if (last === undefined) {
    updateState(tx, "ready", 0);
    return;
  }
  for (const { id } of posts) if (!index.has(id)) index.again(id);
  index.write();
  updateState(tx, "building", last.id);
}

/** Writes some posts anew of a channel that changed. */
function refreshSome(tx: Transaction, index: PostIndex): void {
  const stale = createStaleChannels(tx);
  const channel = stale.next();
  if (channel === undefined) return;
  const posts = cutToStep(stale.posts(channel, STEP_POSTS));
  for (const { id } of posts) index.again(id);
  index.write();
  const last = posts.at(-1);
  if (last === undefined) stale.end(channel);
  else stale.moveTo({ ...channel, after_at: last.published_at, after_id: last.id });
}

function cutToStep<Post extends { bytes: number }>(posts: readonly Post[]): Post[] {
  let bytes = 0;
  return posts.filter((post, at) => {
    bytes += post.bytes;
    return at === 0 || bytes <= STEP_BYTES;
  });
}

/** Has the index emptied and built anew; `catchUp` does it. */
export function rebuildPostSearch(db: Database, clock: Clock): Promise<void> {
  return inTransaction(db, clock, "post-search", (tx) => {
    if (selectState(tx).phase !== "off") updateState(tx, "clearing", 0);
  });
}

/**
 * Builds the index anew, to its end.
 * @param onPercent told from time to time how far it is
 * @returns how many posts are in it
 */
export async function rebuildWhole(
  db: Database,
  clock: Clock,
  onPercent: (percent: number) => void,
): Promise<number> {
  await rebuildPostSearch(db, clock);
  while (hasWork(db, true)) {
    await catchUp(db, clock, true);
    onPercent(selectProgress(db).percent);
  }
  return countSearched(db);
}

/** Index pages merged in a step: one or two milliseconds of the write lock. */
const MERGED_PAGES = 16;

/** Merges segments where there are many of a size; to be called after each transaction that wrote posts. */
export async function mergePostSearch(db: Database, clock: Clock): Promise<void> {
  await inParts(db, clock, "merge-posts", () => mergePages(db, "post_search", MERGED_PAGES));
}
