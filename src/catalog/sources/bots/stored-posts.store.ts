import { and, asc, between, eq, getTableColumns, lt } from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { query } from "../../../db/statement.ts";
import { parseMessengerId } from "../../channels/channel-reference.ts";
import { createChannelIds } from "../../channels/channels.store.ts";
import { albumParts } from "../sources.table.ts";

const BETWEEN = `
  SELECT CAST(msgr_post_id AS TEXT) AS id FROM posts
  WHERE channel_id = ? AND published_at BETWEEN ? AND ? AND msgr_post_id IS NOT NULL`;

/** Messenger ids, in digits, of a channel's posts that were published in a span of time. */
export function selectPostIds(
  db: Database,
  chat: string,
  { from, to }: { from: number; to: number },
): string[] {
  const channel = createChannelIds(db).byMessengerId(parseMessengerId(chat) ?? "");
  if (channel === undefined) return [];
  const rows = statement<{ id: string }>(db, BETWEEN).all(channel, from, to);
  return rows.map(({ id }) => id);
}

const HAS_POST = "SELECT 1 FROM posts WHERE channel_id = ? AND msgr_post_id = ?";

export function hasPost(db: Database, chat: string, messageId: number): boolean {
  const channel = createChannelIds(db).byMessengerId(parseMessengerId(chat) ?? "");
  return channel !== undefined && statement(db, HAS_POST).get(channel, messageId) !== undefined;
}

const HAS_NUMBER = "SELECT 1 FROM channel_cards WHERE id = ? AND msgr_id IS NOT NULL";

/** Whether the handle belongs to a channel with another messenger id. */
export function isHandleTaken(db: Database, chat: string, handle: string): boolean {
  const ids = createChannelIds(db);
  const holder = ids.byHandle(handle);
  if (holder === undefined || holder === ids.byMessengerId(parseMessengerId(chat) ?? "")) {
    return false;
  }
  return statement(db, HAS_NUMBER).get(holder) !== undefined;
}

export type AlbumPart = Omit<typeof albumParts.$inferSelect, "sourceId">;

/** An album has at most ten messages, with consecutive numbers: two of them are at most this far apart. */
export const NUMBERS_APART_MAX = 9;

/** Album parts are kept this many numbers behind a channel's latest: edits come soon or hardly ever. */
const MESSAGES_KEPT = 1_000;

const { sourceId: _, ...columns } = getTableColumns(albumParts);
interface PartsOfAlbum extends Pick<AlbumPart, "chat" | "album"> {
  sourceId: number;
  from: number;
  to: number;
}

const parts = query((db, { sourceId, chat, from, to, album }: PartsOfAlbum) =>
  db
    .select(columns)
    .from(albumParts)
    .where(
      and(
        eq(albumParts.sourceId, sourceId),
        eq(albumParts.chat, chat),
        between(albumParts.messageId, from, to),
        eq(albumParts.album, album),
      ),
    )
    .orderBy(asc(albumParts.messageId)),
).all;

/** Messages of an album received so far, by number; any one of them identifies the album. */
export async function selectParts(
  db: Database,
  sourceId: number,
  { chat, album, messageId }: Pick<AlbumPart, "chat" | "album" | "messageId">,
): Promise<AlbumPart[]> {
  const from = messageId - NUMBERS_APART_MAX;
  const to = messageId + NUMBERS_APART_MAX;
  return parts(db, { sourceId, chat, album, from, to });
}

export async function putPart(tx: Transaction, sourceId: number, part: AlbumPart): Promise<void> {
  await tx.builders
    .insert(albumParts)
    .values({ sourceId, ...part })
    .onConflictDoUpdate({
      target: [albumParts.sourceId, albumParts.chat, albumParts.messageId],
      set: { text: part.text, links: part.links, media: part.media },
    });
  const isOld = lt(albumParts.messageId, part.messageId - MESSAGES_KEPT);
  await tx.builders
    .delete(albumParts)
    .where(and(eq(albumParts.sourceId, sourceId), eq(albumParts.chat, part.chat), isOld));
}
