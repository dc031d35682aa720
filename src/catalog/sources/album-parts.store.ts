import { and, asc, between, eq, getTableColumns, lt } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { albumParts } from "./sources.table.ts";

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
export function selectParts(
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
      set: { text: part.text, media: part.media },
    });
  const isOld = lt(albumParts.messageId, part.messageId - MESSAGES_KEPT);
  await tx.builders
    .delete(albumParts)
    .where(and(eq(albumParts.sourceId, sourceId), eq(albumParts.chat, part.chat), isOld));
}
