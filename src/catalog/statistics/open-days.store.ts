import { type Database, statement, type Transaction } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";

export interface ChannelDay {
  channelId: number;
  day: Day;
}

/** Marks a day whose posts changed, in the transaction that changes them. */
export function markChangedDay(db: Database, channelId: number, day: Day): void {
  // A day without a row, such as today, is derived when its row is created.
  statement(
    db,
    `INSERT INTO changed_days (channel_id, day)
     SELECT channel_id, day FROM daily_statistics
     WHERE channel_id = ? AND day = ? AND (views_given = 0 OR posts_given = 0)
     ON CONFLICT (channel_id, day) DO NOTHING`,
  ).run(channelId, day);
}

/** Marked days, at most `limit`. */
export function selectChangedDays(db: Database, limit: number): ChannelDay[] {
  return statement<ChannelDay>(
    db,
    "SELECT channel_id AS channelId, day FROM changed_days ORDER BY channel_id, day LIMIT ?",
  ).all(limit);
}

export function forgetChangedDay(tx: Transaction, { channelId, day }: ChannelDay): void {
  statement(tx, "DELETE FROM changed_days WHERE channel_id = ? AND day = ?").run(channelId, day);
}

/** A day with at least one derived value; values that were given are null. */
interface DerivedDay extends ChannelDay {
  views: number | null;
  posts: number | null;
}

/** The next days with a derived value, by channel and day. */
export function selectDerivedDays(db: Database, after: ChannelDay, limit: number): DerivedDay[] {
  return statement<DerivedDay>(
    db,
    `SELECT channel_id AS channelId, day,
       iif(views_given, NULL, views) AS views, iif(posts_given, NULL, posts) AS posts
     FROM daily_statistics
     WHERE (channel_id, day) > (?, ?) AND (views_given = 0 OR posts_given = 0)
     ORDER BY channel_id, day LIMIT ?`,
  ).all(after.channelId, after.day, limit);
}

/** Stores derived values of a day; given ones stay. @returns whether any value changed */
export function saveDerived(
  tx: Transaction,
  day: ChannelDay,
  derived: { views: number; posts: number },
): boolean {
  return (
    statement(
      tx,
      `UPDATE daily_statistics
       SET views = iif(views_given, views, @views), posts = iif(posts_given, posts, @posts)
       WHERE channel_id = @channelId AND day = @day
         AND (views_given = 0 AND views <> @views OR posts_given = 0 AND posts <> @posts)`,
    ).run({ ...day, ...derived }).changes > 0
  );
}
