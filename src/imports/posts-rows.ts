import { type Database, statement } from "../db/database.ts";
import { REQUIRED } from "../fields.ts";
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

interface Stored {
  id: number;
  channel_id: number;
  msgr_post_id: number | null;
  text: string;
  views: number;
  is_ad: number;
  published_at: number;
  link: string | null;
}

const TEXT_LENGTH_MAX = 100_000;

const COLUMNS = "id, channel_id, msgr_post_id, text, views, is_ad, published_at, link";

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
    const byId = statement<Stored>(db, `SELECT ${COLUMNS} FROM posts WHERE id = ?`);
    const byMessengerId = statement<Stored>(
      db,
      `SELECT ${COLUMNS} FROM posts WHERE channel_id = ? AND msgr_post_id = ?`,
    );
    const insert = statement(
      db,
      `INSERT INTO posts (${COLUMNS}, read_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const update = statement(
      db,
      `UPDATE posts SET channel_id = ?, msgr_post_id = ?, text = ?, views = ?, is_ad = ?,
         published_at = ?, link = ? WHERE id = ?`,
    );
    const followNewest = statement(
      db,
      `UPDATE channels SET last_post_at = @publishedAt
       WHERE id = @channelId AND (last_post_at IS NULL OR last_post_at < @publishedAt)`,
    );
    /** Newest post by channel since the last commit. */
    const newest = new Map<number, number>();

    function find(row: Given<PostRow>): Stored | undefined {
      if (row.id != null) return byId.get(row.id);
      if (row.msgr_post_id == null) {
        throw new RowFault("id", "Give id, or channel and msgr_post_id.");
      }
      return byMessengerId.get(channelIdOf(row.channel), row.msgr_post_id);
    }

    /** The stored post with what the row gives. */
    function merge(row: Given<PostRow>, stored: Stored | undefined): Stored {
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
      if (publishedAt == null) throw new RowFault("published_at", REQUIRED);
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
        const values = [
          post.channel_id,
          post.msgr_post_id,
          post.text,
          post.views,
          post.is_ad,
          post.published_at,
          post.link,
        ];
        if (stored === undefined) insert.run(row.id ?? null, ...values, clock.now());
        else update.run(...values, post.id);
        newest.set(post.channel_id, Math.max(newest.get(post.channel_id) ?? 0, post.published_at));
        return stored === undefined ? "inserted" : "updated";
      },

      beforeCommit() {
        for (const [channelId, publishedAt] of newest) {
          followNewest.run({ channelId, publishedAt });
        }
        newest.clear();
      },
    };

    function requireFreeMessengerId(post: Stored, stored: Stored | undefined): void {
      if (post.msgr_post_id === null) return;
      const holder = byMessengerId.get(post.channel_id, post.msgr_post_id);
      if (holder !== undefined && holder.id !== stored?.id) {
        throw new RowFault("msgr_post_id", `Post ${holder.id} of the channel has this number.`);
      }
    }
  },
};

function isSame(post: Stored, stored: Stored): boolean {
  return (Object.keys(stored) as (keyof Stored)[]).every((name) => post[name] === stored[name]);
}
