import { message } from "../../../../values/messages/messages.ts";
import type { RowOf } from "../../../fields/stored-field.ts";
import type { POST_FIELDS, PostRecord } from "../../../posts/post.ts";
import type { createPostRecords } from "../../../posts/posts.store.ts";
import type { createTombstones, Tombstone } from "../../../posts/tombstones.store.ts";
import type { ChannelLookup } from "../channel-lookup.ts";
import { type Given, RowFault } from "../import-kind.ts";

export type GivenPost = RowOf<typeof POST_FIELDS>;

/** A row of posts. `deleted` takes a post down, or with false restores it. */
export type PostRow = GivenPost & { channel_msgr_id: string; deleted: boolean };

/**
 * Finds the post that a row names: by `id`, or else by channel and `msgr_post_id`.
 * @param highestNumber highest number that the file gives a post
 */
export function createNamedPosts(
  channels: ChannelLookup,
  records: ReturnType<typeof createPostRecords>,
  tombstones: ReturnType<typeof createTombstones>,
  highestNumber: number,
) {
  function find<Found>(row: Given<PostRow>, among: Findable<Found>): Found | undefined {
    if (row.id != null) return among.byId(row.id);
    if (row.msgr_post_id == null) {
      throw new RowFault("id", message("postNotNamed"));
    }
    return among.byMessengerId(channels.find(row), row.msgr_post_id);
  }

  return {
    /**
     * The row with the channel and number of its link, where it gives none itself. The number of a post of
     * another channel than the row's says nothing, so it is left out.
     */
    byLink(row: Given<PostRow>): Given<PostRow> {
      if (row.id != null || row.msgr_post_id != null || row.link == null) return row;
      const number = channels.postOfLink(row.link);
      if (number === null) return row;
      const isNamed = (row.channel ?? row.channel_msgr_id) != null;
      if (!isNamed) return { ...row, channel: row.link, msgr_post_id: number };
      const isOwn = channels.findKnown(row.link, "link") === channels.find(row);
      return isOwn ? { ...row, msgr_post_id: number } : row;
    },

    stored: (row: Given<PostRow>) => find(row, records),
    tombstone: (row: Given<PostRow>) => find(row, tombstones),

    /** A number for a new post, which no post has ever had. */
    nextNumber: (): number => Math.max(records.nextNumber(), highestNumber + 1),

    /**
     * The row with channel numbers in place of names.
     * @param stored the post it belongs to, or the tombstone; undefined for a new post
     */
    resolved(row: Given<PostRow>, stored: object | undefined): Given<GivenPost> {
      if (stored === undefined && row.published_at == null) {
        throw new RowFault("published_at", message("required"));
      }
      const isKept = stored !== undefined && (row.channel ?? row.channel_msgr_id) == null;
      const from = row.forwarded_from;
      return {
        ...row,
        channel: isKept ? undefined : channels.find(row),
        forwarded_from: from == null ? from : channels.findKnown(from, "forwarded_from"),
      };
    },

    /**
     * Whether a row of a channel that was merged is about another post than the one that has its number in
     * the channel that stayed.
     */
    isAnother(row: Given<PostRow>, { published_at: publishedAt }: PostRecord): boolean {
      if (row.id != null || (row.published_at ?? publishedAt) === publishedAt) return false;
      return channels.place(row).isMerged;
    },

    requireFreeMessengerId({ id, channel, msgr_post_id }: Tombstone): void {
      if (msgr_post_id === null) return;
      const holder =
        records.byMessengerId(channel, msgr_post_id) ??
        tombstones.byMessengerId(channel, msgr_post_id);
      if (holder !== undefined && holder.id !== id) {
        throw new RowFault("msgr_post_id", message("numberOfPost", { post: holder.id }));
      }
    },
  };
}

/** A store that finds posts by both of their identities. */
interface Findable<Found> {
  byId(id: number): Found | undefined;
  byMessengerId(channelId: number, messengerId: string): Found | undefined;
}
