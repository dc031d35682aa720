import type { createChannelLookup, NamedChannel } from "./channel-lookup.ts";
import { type ReadRow, RowFault } from "./import-kind.ts";

/**
 * Posts that are read and arranged together. A file in the order of time has each of its posts in another
 * page of the indexes by channel. The more are arranged, the more of them share pages; these take some
 * 100 MB.
 */
export const ARRANGED_POSTS = 30_000;

type PostRow = NamedChannel & { id: number };

/**
 * Posts in the order of their channels, each channel's as they come. Posts with numbers of their own stay
 * in their order: a number may name a post of any channel, and the table of posts is in its order.
 */
export function inOrderOfChannels<Row extends PostRow>(
  rows: readonly ReadRow<Row>[],
  channels: ReturnType<typeof createChannelLookup>,
): readonly ReadRow<Row>[] {
  if (rows.some((row) => "given" in row && row.given.id != null)) return rows;
  const placed = rows.map((row) => ({ row, channel: "given" in row ? channelOf(row.given) : 0 }));
  channels.forget();
  return placed.sort((one, other) => one.channel - other.channel).map(({ row }) => row);

  function channelOf(given: Parameters<typeof channels.find>[0]): number {
    try {
      return channels.find(given);
    } catch (error) {
      // The row is rejected when its turn comes.
      if (error instanceof RowFault) return 0;
      throw error;
    }
  }
}
