import type { Database, Transaction } from "../../db/database.ts";
import { inParts, transaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { dayOf, monthOf } from "../../values/moscow-time.ts";
import {
  clearSome,
  nextStaleChannel,
  noteEmptied,
  postsAfter,
  postsOfStaleChannel,
  removeStaleChannel,
  searchedRows,
  updateStaleChannel,
} from "./catch-up.store.ts";
import { dictionaryFault } from "./dictionary/lemmas.ts";
import { dayRow } from "./index-text.ts";
import {
  createPart,
  dropSome,
  isToBeRenewed,
  letGo,
  markAllDue,
  mergingOf,
  mergingOfParts,
  type Part,
  scatteredParts,
  selectParts,
  swap,
  updateAfterRow,
} from "./parts.store.ts";
import { createPostIndex, type PostIndex } from "./post-index.ts";
import {
  countSearched,
  isIndexed,
  selectProgress,
  selectState,
  updateState,
} from "./post-search-state.store.ts";

/** Text per step: a few milliseconds of the write lock. A longer post is a step of its own. */
const STEP_BYTES = 64 * 1024;
const STEP_POSTS = 40;
/** Steps after which segments are merged: each writes one, and FTS5 merges eight of a size. */
const MERGED_AFTER = 8;

/** Time per turn: the thread also runs the scheduler's jobs, which go between turns. */
const TURN_MS = 1_000;

export type PostIndexing = ReturnType<typeof createPostIndexing>;

/**
 * Keeps the index up to date in the background, turn by turn and across restarts: builds it, follows
 * channels that changed, and empties it once post search is off.
 * @param turn does `catchUpPosts` on a writing thread
 * @param isOn the setting that turns post search on and off
 * @param diskFault says that the disk is nearly full; null if it has room. Building waits for room, since the
 * last of it is for what cannot wait, such as counting usage
 */
export function createPostIndexing(
  db: Database,
  turn: (isOn: boolean) => Promise<void>,
  isOn: boolean,
  log: Log,
  diskFault: () => Promise<string | null>,
) {
  let isWaiting = false;

  /** Progress of building the index; null if it is complete, or is being removed: nobody waits for that. */
  function percent(): number | null {
    const done = isOn ? selectProgress(db).percent : 100;
    return done < 100 ? done : null;
  }

  const fault = isOn ? dictionaryFault() : null;
  if (fault !== null) {
    log.error({ fault }, "the dictionary of post search cannot be read: words match by stem alone");
  }

  return {
    percent,
    /** Runs one turn of the remaining work. Never throws. */
    async tick(): Promise<void> {
      try {
        if (!hasWork(db, isOn)) return;
        // Removing parts, or all of it, needs little, and gives room.
        const givesRoom = !isOn || selectParts(db).some(({ state }) => state === "leaving");
        const reason = givesRoom ? null : await diskFault();
        if (reason !== null && !isWaiting) {
          log.warn({ reason }, "the index of post search waits for room on the disk");
        }
        isWaiting = reason !== null;
        if (isWaiting) return;
        const wasBuilding = percent() !== null;
        await turn(isOn);
        if (wasBuilding && percent() === null) log.info({}, "the index of post search is complete");
      } catch (error) {
        log.error({ err: error }, "the index of post search could not be brought up to date");
      }
    },
  };
}

/** One turn of the remaining work on the index. */
export function catchUpPosts(db: Database, clock: Clock, isOn: boolean): Promise<void> {
  return catchUp(db, clock, isOn, clock.monotonic() + TURN_MS);
}

/**
 * Continues until `untilMs` of the monotonic clock, or to the end, in short transactions with pauses.
 * Nothing is skipped if it is killed, or if two processes do it at once.
 */
async function catchUp(db: Database, clock: Clock, isOn: boolean, untilMs: number): Promise<void> {
  const index = createPostIndex(db);
  let merge = mergingOfParts();
  let steps = 0;
  let isOver = false;
  await inParts(db, clock, "post-search", (tx) => {
    if (clock.monotonic() < untilMs && merge(tx)) return true;
    if (isOver || !hasWork(tx, isOn)) return false;
    step(tx, index, isOn);
    steps += 1;
    if (steps % MERGED_AFTER === 0) merge = mergingOfParts();
    isOver = clock.monotonic() >= untilMs;
    return true;
  });
}

function hasWork(db: Database, isOn: boolean): boolean {
  const { phase } = selectState(db);
  if (phase !== (isOn ? "ready" : "off")) return true;
  const hasPartWork = selectParts(db).some((part) => part.state !== "read" || isToBeRenewed(part));
  return hasPartWork || (isOn && nextStaleChannel(db) !== undefined);
}

function step(tx: Transaction, index: PostIndex, isOn: boolean): void {
  const { phase, after_id: afterId } = selectState(tx);
  const parts = selectParts(tx);
  const leaving = parts.find(({ state }) => state === "leaving");
  if (isIndexed(phase) && !isOn) {
    for (const part of parts) if (part.state !== "leaving") letGo(tx, part);
    updateState(tx, "clearing", 0);
  } else if (phase === "building" || phase === "comparing") {
    indexSome(tx, index, phase, afterId);
  } else if (leaving !== undefined) {
    dropSome(tx, leaving);
  } else if (phase === "clearing") {
    if (clearSome(tx)) return;
    noteEmptied(tx);
    updateState(tx, "off", 0);
  } else if (phase === "off") {
    updateState(tx, "building", 0);
  } else {
    renewSome(tx, index, parts);
  }
}

/** Adds to the part being built, or begins the next: the newest first, which most searches read. */
function renewSome(tx: Transaction, index: PostIndex, parts: readonly Part[]): void {
  const due = parts.find(isToBeRenewed);
  const built = parts.find(({ state }) => state === "building");
  if (built === undefined) {
    if (due === undefined) refreshSome(tx, index);
    else createPart(tx, due.first_row, "building");
    return;
  }
  const rows = cutToStep(searchedRows(tx, built.after_row, built.end_row, STEP_POSTS));
  const last = rows.at(-1);
  if (last === undefined) {
    swap(tx, built);
    return;
  }
  // First, since posts that are indexed anew meanwhile belong to it as well.
  updateAfterRow(tx, built, last.row);
  index.addTo(built, rows);
}

/** Adds posts that the index lacks, or has otherwise than they are. */
function indexSome(
  tx: Transaction,
  index: PostIndex,
  phase: "building" | "comparing",
  afterId: number,
): void {
  const posts = cutToStep(postsAfter(tx, afterId, STEP_POSTS));
  const last = posts.at(-1);
  if (last === undefined) {
    updateState(tx, "ready", 0);
    return;
  }
  for (const { id } of posts) if (!index.has(id)) index.reindex(id);
  index.write();
  updateState(tx, phase, last.id);
}

/** Reindexes some posts of a channel that changed. */
function refreshSome(tx: Transaction, index: PostIndex): void {
  const channel = nextStaleChannel(tx);
  if (channel === undefined) return;
  const posts = cutToStep(postsOfStaleChannel(tx, channel, STEP_POSTS));
  for (const { id } of posts) index.reindex(id);
  index.write();
  const last = posts.at(-1);
  if (last === undefined) removeStaleChannel(tx, channel);
  else updateStaleChannel(tx, { ...channel, after_at: last.published_at, after_id: last.id });
}

function cutToStep<Post extends { bytes: number }>(posts: readonly Post[]): Post[] {
  let bytes = 0;
  return posts.filter((post, at) => {
    bytes += post.bytes;
    return at === 0 || bytes <= STEP_BYTES;
  });
}

/**
 * Has the index compared with the posts and then built anew, part by part, in the background; does nothing
 * if there is none. It answers meanwhile.
 */
export const rebuildPostSearch = transaction("post-search", (tx) => {
  if (selectState(tx).phase !== "ready") return;
  markAllDue(tx);
  updateState(tx, "comparing", 0);
});

/**
 * Rebuilds the index completely.
 * @param onPercent receives the progress every few seconds; what is done so far stays if it throws
 * @returns number of posts in it
 */
export async function rebuildWhole(
  db: Database,
  clock: Clock,
  onPercent: (percent: number) => void | Promise<void>,
): Promise<number> {
  await rebuildPostSearch(db, clock);
  await finishPostSearch(db, clock, true, () => onPercent(selectProgress(db).percent));
  return countSearched(db);
}

/** Interval between two calls of `onPart`. */
const REPORT_INTERVAL_MS = 2_000;

/**
 * Does all remaining work on the index.
 * @param isOn the setting
 * @param onPart called every few seconds, for progress
 */
export async function finishPostSearch(
  db: Database,
  clock: Clock,
  isOn: boolean,
  onPart: () => void | Promise<void> = () => {},
): Promise<void> {
  while (hasWork(db, isOn)) {
    await catchUp(db, clock, isOn, clock.monotonic() + REPORT_INTERVAL_MS);
    await onPart();
  }
}

/** Steps of a merge after a transaction, some 0.6 s: posts that were pushed do not wait for a large one to end. */
const STEPS_AFTER_WRITING = 200;

/**
 * Merges segments if there are many of similar size, or goes on with a merge that was interrupted. Must be called
 * after each transaction that wrote posts.
 */
export async function mergePostSearch(db: Database, clock: Clock): Promise<void> {
  const merge = mergingOfParts();
  let steps = 0;
  await inParts(db, clock, "merge-posts", (tx) => steps++ < STEPS_AFTER_WRITING && merge(tx));
}

/** How long a night's merging may take: the months that are left are for the next ones. */
const NIGHT_MS = 60_000;

/**
 * Merges each month that is over into one segment, if it has many: after an import it has some twenty, and beginning
 * to read at an instant takes 0.1 ms in place of 0.01. Words over a year begin at hundreds of them. Merging takes
 * 11 us a post, and holds the lock for 50 ms at a time where half a million posts have the same word.
 */
export async function optimizePostSearch(db: Database, clock: Clock): Promise<void> {
  const thisMonth = dayRow(monthOf(dayOf(clock.now())).first);
  const untilMs = clock.monotonic() + NIGHT_MS;
  for (const part of scatteredParts(db, thisMonth)) {
    const merge = mergingOf(part);
    await inParts(db, clock, "merge-posts", (tx) => clock.monotonic() < untilMs && merge(tx));
  }
}
