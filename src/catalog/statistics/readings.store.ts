import { type Database, statement } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";

/** The days of a channel's first and last reading. */
export interface ReadingSpan {
  first: Day;
  last: Day;
}

/** Null where a channel has no readings. Each end is one step into the table's own order. */
export function selectSpan(db: Database, channelId: number): ReadingSpan | null {
  const { first, last } = statement<{ first: Day | null; last: Day | null }>(
    db,
    `SELECT
       (SELECT day FROM daily_statistics WHERE channel_id = @channelId ORDER BY day LIMIT 1) AS first,
       (SELECT day FROM daily_statistics WHERE channel_id = @channelId ORDER BY day DESC LIMIT 1) AS last`,
  ).get({ channelId }) ?? { first: null, last: null };
  return first === null || last === null ? null : { first, last };
}

export interface LatestSelection {
  channelIds: readonly number[];
  /** The first day that may be shown; null: any. */
  since: Day | null;
  /** Readings of each channel at most. */
  limit: number;
}

/** Subscribers by the last readings of each channel, the oldest first. */
export function selectLatest(
  db: Database,
  { channelIds, since, limit }: LatestSelection,
): Map<number, number[]> {
  const latest = statement<{ subscribers: number }>(
    db,
    `SELECT subscribers FROM daily_statistics
     WHERE channel_id = ? AND day >= ? ORDER BY day DESC LIMIT ?`,
  );
  return new Map(
    channelIds.map((id) => {
      const rows = latest.all(id, since ?? Number.NEGATIVE_INFINITY, limit);
      return [id, rows.map(({ subscribers }) => subscribers).reverse()];
    }),
  );
}
