import { type Database, statement } from "../../db/database.ts";
import type { Day } from "../../values/moscow-time.ts";

export interface LatestSelection {
  channelIds: readonly number[];
  /** First day that may be shown; null for any. */
  since: Day | null;
  /** Limit for each channel. */
  limit: number;
}

/** Subscribers at each channel's last readings, oldest first. */
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
