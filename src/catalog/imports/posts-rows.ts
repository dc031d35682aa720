import type { Database } from "../../db/database.ts";
import { message } from "../../values/messages/messages.ts";
import { createLastPosts } from "../channels/channels.store.ts";
import { messengerIdColumn } from "../channels/messenger-id.ts";
import { columnsOf, type RowOf } from "../fields/stored-field.ts";
import { POST_FIELDS, type PostRecord } from "../posts/post.ts";
import { createPostRecords } from "../posts/posts.store.ts";
import { createChannelLookup } from "./channel-lookup.ts";
import {
  type Given,
  type ImportContext,
  type ImportKind,
  RowFault,
  type RowOutcome,
} from "./import-kind.ts";
import { isSame, merge } from "./merge-row.ts";

type PostRow = RowOf<typeof POST_FIELDS> & { channel_msgr_id: string };

/** Identity is `id`, else channel and `msgr_post_id` (decisions, section 8). */
export const postsImport: ImportKind<PostRow> = {
  columns: { ...columnsOf(POST_FIELDS), channel_msgr_id: messengerIdColumn() },
  isDirectory: false,
  open(db: Database, context: ImportContext) {
    const { clock } = context;
    const channels = createChannelLookup(db, context);
    const records = createPostRecords(db);
    const moveLastPost = createLastPosts(db);
    /** Newest post by channel since the last commit. */
    const newest = new Map<number, number>();

    function find(row: Given<PostRow>): PostRecord | undefined {
      if (row.id != null) return records.byId(row.id);
      if (row.msgr_post_id == null) {
        throw new RowFault("id", message("postNotNamed"));
      }
      return records.byMessengerId(channels.find(row), row.msgr_post_id);
    }

    function merged(row: Given<PostRow>, stored: PostRecord | undefined): PostRecord {
      if (stored === undefined && row.published_at == null) {
        throw new RowFault("published_at", message("required"));
      }
      const isKept = stored !== undefined && (row.channel ?? row.channel_msgr_id) == null;
      const channel = isKept ? undefined : channels.find(row);
      return merge(POST_FIELDS, { ...row, channel }, stored, message("required"));
    }

    return {
      write(row): RowOutcome {
        const stored = find(row);
        const post = merged(row, stored);
        requireFreeMessengerId(post, stored);
        if (stored !== undefined && isSame(post, stored)) return "unchanged";
        if (stored === undefined) records.insert(post, clock.now());
        else records.update(post);
        newest.set(post.channel, Math.max(newest.get(post.channel) ?? 0, post.published_at));
        return stored === undefined ? "inserted" : "updated";
      },

      beforeCommit() {
        for (const [channelId, publishedAt] of newest) moveLastPost(channelId, publishedAt);
        newest.clear();
        channels.forget();
      },
    };

    function requireFreeMessengerId(post: PostRecord, stored: PostRecord | undefined): void {
      if (post.msgr_post_id === null) return;
      const holder = records.byMessengerId(post.channel, post.msgr_post_id);
      if (holder !== undefined && holder.id !== stored?.id) {
        throw new RowFault("msgr_post_id", message("numberOfPost", { post: holder.id }));
      }
    }
  },
};
