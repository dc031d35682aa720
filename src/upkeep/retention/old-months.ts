import { nextChannelOfPosts } from "../../catalog/imports/kinds/exported-rows.store.ts";
import type { RemovedRows } from "../../catalog/imports/kinds/removed-months.store.ts";
import { endRemoval, noteRemoval } from "../../catalog/imports/kinds/removed-months.store.ts";
import { dayRow } from "../../catalog/post-search/index-text.ts";
import { letGoBefore } from "../../catalog/post-search/parts.store.ts";
import { type Database, statement } from "../../db/database.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Day, dayOf, formatDay, monthOf, startOfDay } from "../../values/moscow-time.ts";

/** How many of the latest Moscow months are kept, with the current one; null for all. */
export interface KeptMonths {
  posts: number | null;
  statistics: number | null;
}

/** What a night removed: rows before a day. */
export interface RemovedMonths {
  posts?: { before: string; removed: number };
  statistics?: { before: string; removed: number };
}

/** Rows per step: a post is in several indexes. */
const STEP_ROWS = 20;

function firstKept(nowMs: number, months: number): Day {
  let day = dayOf(nowMs);
  for (let back = 1; back < months; back += 1) day = monthOf(day).first - 1;
  return monthOf(day).first;
}

/**
 * Takes the parts of the post index with months that are no longer kept from searches. Each node of a
 * cluster has its own, and rows that no part is read for are removed with less work.
 */
export async function letGoOldParts(
  db: Database,
  clock: Clock,
  { posts }: KeptMonths,
): Promise<void> {
  if (posts === null) return;
  const day = firstKept(clock.now(), posts);
  await inTransaction(db, clock, "old-parts", (tx) => {
    if (letGoBefore(tx, dayRow(day))) noteRemoval(tx, clock.now(), "posts", day);
  });
}

/** Removes posts and statistics of months that are no longer kept, channel by channel, in short steps. */
export async function removeOldMonths(
  db: Database,
  clock: Clock,
  kept: KeptMonths,
): Promise<RemovedMonths> {
  const done: RemovedMonths = {};
  for (const [name, of] of [
    ["posts", OF_POSTS],
    ["statistics", OF_STATISTICS],
  ] as const) {
    const months = kept[name];
    if (months === null) continue;
    const day = firstKept(clock.now(), months);
    done[name] = { before: formatDay(day), removed: await removeBefore(db, clock, of, day) };
  }
  return done;
}

interface Removing {
  rows: RemovedRows;
  /** The value of a day in the column that says the time. */
  timeOf(day: Day): number;
  nextChannel(db: Database, afterId: number): number | undefined;
  hasSome: string;
  removeSome: string;
}

const OF_POSTS: Removing = {
  rows: "posts",
  timeOf: startOfDay,
  nextChannel: nextChannelOfPosts,
  hasSome: "SELECT 1 FROM posts WHERE channel_id = ? AND published_at < ? LIMIT 1",
  removeSome: `DELETE FROM posts WHERE id IN (
    SELECT id FROM posts WHERE channel_id = ? AND published_at < ? LIMIT ${STEP_ROWS})`,
};
const OF_STATISTICS: Removing = {
  rows: "stats",
  timeOf: (day) => day,
  nextChannel: (db, afterId) =>
    statement<{ id: number }>(
      db,
      `SELECT channel_id AS id FROM daily_statistics WHERE channel_id > ?
       ORDER BY channel_id LIMIT 1`,
    ).get(afterId)?.id,
  hasSome: "SELECT 1 FROM daily_statistics WHERE channel_id = ? AND day < ? LIMIT 1",
  removeSome: "DELETE FROM daily_statistics WHERE channel_id = ? AND day < ?",
};

async function removeBefore(
  db: Database,
  clock: Clock,
  { rows, timeOf, nextChannel, hasSome, removeSome }: Removing,
  day: Day,
): Promise<number> {
  const before = timeOf(day);
  const has = statement(db, hasSome);
  const remove = statement(db, removeSome);
  let removed = 0;
  for (let id = nextChannel(db, 0); id !== undefined; id = nextChannel(db, id)) {
    const channel = id;
    if (has.get(channel, before) === undefined) continue;
    await inParts(db, clock, "old-months", (tx) => {
      noteRemoval(tx, clock.now(), rows, day);
      const { changes } = remove.run(channel, before);
      removed += changes;
      return changes > 0;
    });
  }
  await inTransaction(db, clock, "old-months", (tx) => endRemoval(tx, rows));
  return removed;
}

/** Pages of 4 KB that are moved from the end of the file in one step. */
const STEP_PAGES = 32;
/** One of so many pages may be free: new rows take them before the file grows. */
const FREE_ONE_OF = 20;

/** Gives free pages back to the disk, if there are many. */
export async function giveBack(db: Database, clock: Clock): Promise<void> {
  const pragma = (name: string): number => Number(db.pragmaValue(name));
  if (pragma("freelist_count") * FREE_ONE_OF < pragma("page_count")) return;
  let left = Number.POSITIVE_INFINITY;
  await inParts(db, clock, "give-back", () => {
    db.pragma(`incremental_vacuum(${STEP_PAGES})`);
    const free = pragma("freelist_count");
    // A file of another program may not be made for it.
    const isShrinking = free > 0 && free < left;
    left = free;
    return isShrinking;
  });
}
