import { and, asc, between, eq, lt } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { eqGiven, given, query } from "../../db/query.ts";
import { albumParts } from "./sources.table.ts";

export type AlbumPart = Omit<typeof albumParts.$inferSelect, "sourceId">;

/** An album has at most ten messages, with numbers in a row. */
export const NUMBERS_APART_MAX = 9;

/** Parts of a channel are kept for so many of its messages: edits come soon, or hardly ever. */
const MESSAGES_KEPT = 1_000;

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
        eqGiven(albumParts.sourceId, "sourceId"),
        eqGiven(albumParts.chat, "chat"),
        between(albumParts.messageId, given("from"), given("to")),
        eqGiven(albumParts.album, "album"),
      ),
    )
    .orderBy(asc(albumParts.messageId)),
);

/** The messages of an album that came so far, in their order, found by one of them. */
export function selectParts(
  db: Database,
  sourceId: number,
  { chat, album, messageId }: Pick<AlbumPart, "chat" | "album" | "messageId">,
): Promise<AlbumPart[]> {
  const [from, to] = [messageId - NUMBERS_APART_MAX, messageId + NUMBERS_APART_MAX];
  return parts(db).all({ sourceId, chat, album, from, to });
}

/** Keeps a message of an album, and forgets those long before it. */
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
