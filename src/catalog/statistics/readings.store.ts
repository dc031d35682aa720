import { type Database, statement } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";

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
