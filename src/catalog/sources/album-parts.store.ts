import { and, asc, eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { albumParts } from "./sources.table.ts";

export type AlbumPart = Omit<typeof albumParts.$inferSelect, "sourceId">;

const parts = query((db) =>
  db
    .select({
      chat: albumParts.chat,
      album: albumParts.album,
      messageId: albumParts.messageId,
      postId: albumParts.postId,
      text: albumParts.text,
      media: albumParts.media,
    })
    .from(albumParts)
    .where(
      and(
        eq(albumParts.sourceId, sql.placeholder("sourceId")),
        eq(albumParts.chat, sql.placeholder("chat")),
        eq(albumParts.album, sql.placeholder("album")),
      ),
    )
    .orderBy(asc(albumParts.messageId)),
);

/** The messages of an album that came so far, in their order. */
export function selectParts(
  db: Database,
  sourceId: number,
  { chat, album }: Pick<AlbumPart, "chat" | "album">,
): Promise<AlbumPart[]> {
  return parts(db).all({ sourceId, chat, album });
}

export async function putPart(tx: Transaction, sourceId: number, part: AlbumPart): Promise<void> {
  await tx.builders
    .insert(albumParts)
    .values({ sourceId, ...part })
    .onConflictDoUpdate({
      target: [albumParts.sourceId, ...[albumParts.chat, albumParts.album, albumParts.messageId]],
      set: { text: part.text, media: part.media },
    });
}
