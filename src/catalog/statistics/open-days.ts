import { type Database, statement, type Transaction } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Day, dayOf, startOfDay } from "../../values/moscow-time.ts";
import { createStatisticsRecords } from "./statistics.store.ts";

/** Days per step, few because each day's posts are added up, possibly hundreds. */
const DAYS_PER_STEP = 20;
/** Days that a recount compares with their posts at a time. */
const DAYS_PER_READ = 1_000;

/** The first open day: of `openDays` Moscow days, of which today is the last. */
export function firstOpenDay(nowMs: number, openDays: number): Day {
  return dayOf(nowMs) - openDays + 1;
}

/**
 * Recomputes open days whose posts changed. Values given by an import stay, and so do days that are no
 * longer open. Each day is recomputed and unmarked in one transaction, so it can be interrupted, or run by
 * two processes at once.
 * @param openDays number of days, today included, that follow their posts
 * @returns number of days whose values changed
 */
export async function followPosts(db: Database, clock: Clock, openDays: number): Promise<number> {
  if (selectChangedDays(db, 1).length === 0) return 0;
  let changed = 0;
  await inParts(db, clock, "open-days", (tx) => {
    const firstDay = firstOpenDay(clock.now(), openDays);
    const days = selectChangedDays(tx, DAYS_PER_STEP);
    for (const one of days) {
      if (one.day >= firstDay && derive(tx, one)) changed += 1;
      forgetChangedDay(tx, one);
    }
    return days.length === DAYS_PER_STEP;
  });
  return changed;
}

/**
 * Recomputes every day that has a derived value, however old.
 * @returns number of days whose values changed
 */
export async function recountDays(db: Database, clock: Clock): Promise<number> {
  let changed = 0;
  const { ofPosts } = createStatisticsRecords(db);
  let after: ChannelDay = { channelId: 0, day: 0 };
  for (;;) {
    const days = selectDerivedDays(db, after, DAYS_PER_READ);
    const last = days.at(-1);
    if (last === undefined) return changed;
    after = last;
    // Compared outside transactions, because nearly all days already match their posts.
    const stale = days.filter((one) => {
      const { views, posts } = ofPosts(one.channelId, one.day);
      return (one.views ?? views) !== views || (one.posts ?? posts) !== posts;
    });
    if (stale.length === 0) continue;
    await inParts(db, clock, "recount-days", (tx) => {
      for (const one of stale.splice(0, DAYS_PER_STEP)) if (derive(tx, one)) changed += 1;
      return stale.length > 0;
    });
  }
}

function derive(tx: Transaction, { channelId, day }: ChannelDay): boolean {
  const derived = createStatisticsRecords(tx).ofPosts(channelId, day);
  return saveDerived(tx, { channelId, day }, derived);
}

/** Channels per step, few because each channel's posts of the day are added up, possibly hundreds. */
const CHANNELS_PER_STEP = 20;

const NEXT_CHANNELS = `
  SELECT id FROM channels WHERE is_public = 1 AND id > ? ORDER BY id LIMIT ?`;

const CLOSE = `
  INSERT INTO daily_statistics
    (channel_id, day, subscribers, views, posts, views_given, posts_given)
  SELECT c.id, :day, c.subscribers,
    (SELECT coalesce(sum(p.views), 0) FROM posts p
     WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until),
    (SELECT count(*) FROM posts p
     WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until),
    0, 0
  FROM channels c
  WHERE c.is_public = 1 AND c.id BETWEEN :first AND :last
  ON CONFLICT (channel_id, day) DO NOTHING`;

/**
 * Creates a row for every public channel that has none for the day, with the card's subscribers and values
 * derived from the day's stored posts, which it keeps following. If interrupted, it can be run again.
 * @returns number of rows created
 */
export async function closeDay(db: Database, clock: Clock, day: Day): Promise<number> {
  const nextChannels = statement<{ id: number }>(db, NEXT_CHANNELS);
  const close = statement(db, CLOSE);
  const from = startOfDay(day);
  const until = startOfDay(day + 1);
  let created = 0;
  let after = 0;
  await inParts(db, clock, "close-day", () => {
    const ids = nextChannels.all(after, CHANNELS_PER_STEP);
    const first = ids[0]?.id;
    const last = ids.at(-1)?.id;
    if (first === undefined || last === undefined) return false;
    created += close.run({ day, from, until, first, last }).changes;
    after = last;
    return true;
  });
  return created;
}

interface ChannelDay {
  channelId: number;
  day: Day;
}

/** Marks a day whose posts changed, in the transaction that changes them. */
export function markChangedDay(db: Database, channelId: number, day: Day): void {
  // A day without a row, such as today, is derived when its row is created.
  const sql = `INSERT INTO changed_days (channel_id, day)
    SELECT channel_id, day FROM daily_statistics
    WHERE channel_id = ? AND day = ? AND (views_given = 0 OR posts_given = 0)
    ON CONFLICT (channel_id, day) DO NOTHING`;
  statement(db, sql).run(channelId, day);
}

/** Marked days, at most `limit`. */
function selectChangedDays(db: Database, limit: number): ChannelDay[] {
  const sql =
    "SELECT channel_id AS channelId, day FROM changed_days ORDER BY channel_id, day LIMIT ?";
  return statement<ChannelDay>(db, sql).all(limit);
}

function forgetChangedDay(tx: Transaction, { channelId, day }: ChannelDay): void {
  statement(tx, "DELETE FROM changed_days WHERE channel_id = ? AND day = ?").run(channelId, day);
}

/** A day with at least one derived value; values that were given are null. */
interface DerivedDay extends ChannelDay {
  views: number | null;
  posts: number | null;
}

/** The next days with a derived value, by channel and day. */
function selectDerivedDays(db: Database, after: ChannelDay, limit: number): DerivedDay[] {
  const sql = `SELECT channel_id AS channelId, day,
      iif(views_given, NULL, views) AS views, iif(posts_given, NULL, posts) AS posts
    FROM daily_statistics
    WHERE (channel_id, day) > (?, ?) AND (views_given = 0 OR posts_given = 0)
    ORDER BY channel_id, day LIMIT ?`;
  return statement<DerivedDay>(db, sql).all(after.channelId, after.day, limit);
}

/** Stores derived values of a day; given ones stay. @returns whether any value changed */
function saveDerived(
  tx: Transaction,
  day: ChannelDay,
  derived: { views: number; posts: number },
): boolean {
  const sql = `UPDATE daily_statistics
    SET views = iif(views_given, views, @views), posts = iif(posts_given, posts, @posts)
    WHERE channel_id = @channelId AND day = @day
      AND (views_given = 0 AND views <> @views OR posts_given = 0 AND posts <> @posts)`;
  return statement(tx, sql).run({ ...day, ...derived }).changes > 0;
}
