import { and, eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { sourceChats } from "./sources.table.ts";

export type SourceChat = Omit<typeof sourceChats.$inferSelect, "sourceId">;

const chats = query((db) =>
  db
    .select({ msgrId: sourceChats.msgrId, isRead: sourceChats.isRead, cardDay: sourceChats.cardDay })
    .from(sourceChats)
    .where(eq(sourceChats.sourceId, sql.placeholder("sourceId"))),
);

/** Channels that a source's bot was added to, those it was removed from included. */
export function selectChats(db: Database, sourceId: number): Promise<SourceChat[]> {
  return chats(db).all({ sourceId });
}

export async function putChat(tx: Transaction, sourceId: number, chat: SourceChat): Promise<void> {
  await tx.builders
    .insert(sourceChats)
    .values({ sourceId, ...chat })
    .onConflictDoUpdate({
      target: [sourceChats.sourceId, sourceChats.msgrId],
      set: { isRead: chat.isRead, cardDay: chat.cardDay },
    });
}

/** The number of a chat that became another one. */
export async function moveChat(
  tx: Transaction,
  sourceId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.builders
    .update(sourceChats)
    .set({ msgrId: to })
    .where(and(eq(sourceChats.sourceId, sourceId), eq(sourceChats.msgrId, from)));
}
