import type { ChannelLookup } from "../channel-lookup.ts";
import { type Given, type ReadRow, RowFault } from "../import-kind.ts";
import type { PostRow } from "./named-posts.ts";

/**
 * Number of posts that are read and sorted together, in some 100 MB of memory. In a file ordered by time,
 * each post belongs to a different page of the indexes by channel: the more posts are sorted, the more of
 * them share pages.
 */
export const ARRANGED_POSTS = 30_000;

/**
 * Posts in the order of their channels, and within a channel as they come. Posts that bring a number stay
 * in their order: the number may belong to a post of any channel, and the table of posts is ordered by it.
 */
export function inOrderOfChannels(
  rows: readonly ReadRow<PostRow>[],
  channels: ChannelLookup,
): readonly ReadRow<PostRow>[] {
  if (rows.some((row) => "given" in row && row.given.id != null)) return rows;
  const placed = rows.map((row) => ({ row, channel: "given" in row ? channelOf(row.given) : 0 }));
  channels.forget();
  return placed.sort((one, other) => one.channel - other.channel).map(({ row }) => row);

  function channelOf(given: Given<PostRow>): number {
    try {
      return channels.find(given);
    } catch (error) {
      // The row will be rejected when its turn comes.
      if (error instanceof RowFault) return 0;
      throw error;
    }
  }
}
