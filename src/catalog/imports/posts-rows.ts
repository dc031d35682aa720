import type { Database } from "../../db/database.ts";
import { message } from "../../values/messages/messages.ts";
import { createLastPosts } from "../channels/channels.store.ts";
import { createPostRecords, type PostRecord } from "../posts/posts.store.ts";
import { createChannelLookup } from "./channel-lookup.ts";
import {
  addressColumn,
  channelColumn,
  flagColumn,
  ID_MAX,
  instantColumn,
  integerColumn,
  nullable,
  textColumn,
} from "./columns.ts";
import {
  type Given,
  type ImportContext,
  type ImportKind,
  RowFault,
  type RowOutcome,
} from "./import-kind.ts";

interface PostRow {
  id: number;
  channel: number | `@${string}`;
  msgr_post_id: number;
  text: string;
  views: number;
  is_ad: boolean;
  published_at: number;
  link: string;
}

const TEXT_LENGTH_MAX = 100_000;

/** Identity is `id`, else channel and `msgr_post_id` (decisions, section 8). */
export const postsImport: ImportKind<PostRow> = {
  columns: {
    id: integerColumn(1, ID_MAX),
    channel: channelColumn(),
    msgr_post_id: nullable(integerColumn(0)),
    text: textColumn(TEXT_LENGTH_MAX),
    views: integerColumn(0),
    is_ad: flagColumn(),
    published_at: instantColumn(),
    link: nullable(addressColumn()),
  },
  isDirectory: false,
  open(db: Database, { clock }: ImportContext) {
    const channelIdOf = createChannelLookup(db);
    const records = createPostRecords(db);
    const moveLastPost = createLastPosts(db);
    /** Newest post by channel since the last commit. */
    const newest = new Map<number, number>();

    function find(row: Given<PostRow>): PostRecord | undefined {
      if (row.id != null) return records.byId(row.id);
      if (row.msgr_post_id == null) {
        throw new RowFault("id", message("postNotNamed"));
      }
      return records.byMessengerId(channelIdOf(row.channel), row.msgr_post_id);
    }

    /** The stored post with what the row gives. */
    function merge(row: Given<PostRow>, stored: PostRecord | undefined): PostRecord {
      const { text, published_at: publishedAt } = row;
      if (stored !== undefined) {
        return {
          id: stored.id,
          channel_id: row.channel == null ? stored.channel_id : channelIdOf(row.channel),
          msgr_post_id: row.msgr_post_id === undefined ? stored.msgr_post_id : row.msgr_post_id,
          text: text ?? stored.text,
          views: row.views ?? stored.views,
          is_ad: row.is_ad == null ? stored.is_ad : Number(row.is_ad),
          published_at: publishedAt ?? stored.published_at,
          link: row.link === undefined ? stored.link : row.link,
        };
      }
      if (publishedAt == null) throw new RowFault("published_at", message("required"));
      return {
        id: row.id ?? 0,
        channel_id: channelIdOf(row.channel),
        msgr_post_id: row.msgr_post_id ?? null,
        text: text ?? "",
        views: row.views ?? 0,
        is_ad: Number(row.is_ad ?? false),
        published_at: publishedAt,
        link: row.link ?? null,
      };
    }

    return {
      write(row): RowOutcome {
        const stored = find(row);
        const post = merge(row, stored);
        requireFreeMessengerId(post, stored);
        if (stored !== undefined && isSame(post, stored)) return "unchanged";
        if (stored === undefined) records.insert(post, clock.now());
        else records.update(post);
        newest.set(post.channel_id, Math.max(newest.get(post.channel_id) ?? 0, post.published_at));
        return stored === undefined ? "inserted" : "updated";
      },

      beforeCommit() {
        for (const [channelId, publishedAt] of newest) moveLastPost(channelId, publishedAt);
        newest.clear();
      },
    };

    function requireFreeMessengerId(post: PostRecord, stored: PostRecord | undefined): void {
      if (post.msgr_post_id === null) return;
      const holder = records.byMessengerId(post.channel_id, post.msgr_post_id);
      if (holder !== undefined && holder.id !== stored?.id) {
        throw new RowFault("msgr_post_id", message("numberOfPost", { post: holder.id }));
      }
    }
  },
};

function isSame(post: PostRecord, stored: PostRecord): boolean {
  return (Object.keys(stored) as (keyof PostRecord)[]).every((name) => post[name] === stored[name]);
}
