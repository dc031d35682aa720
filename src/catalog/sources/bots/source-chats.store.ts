import { and, eq, getTableColumns, isNull } from "drizzle-orm";
import type { Transaction } from "../../../db/database.ts";
import { query } from "../../../db/statement.ts";
import { type SourceChat, sourceChats } from "../sources.table.ts";

const { sourceId: _, ...columns } = getTableColumns(sourceChats);

/** Includes channels that the bot was removed from. */
export const selectChats = query((db, { sourceId }: { sourceId: number }) =>
  db.select(columns).from(sourceChats).where(eq(sourceChats.sourceId, sourceId)),
).all;

/** Whether any channel of a source is marked to be read at once. */
export const hasUnread = query((db, { sourceId }: { sourceId: number }) =>
  db
    .select({ chat: sourceChats.chat })
    .from(sourceChats)
    .where(and(eq(sourceChats.sourceId, sourceId), isNull(sourceChats.cardAt)))
    .limit(1),
).any;

/** New state of a channel; without `cardAt`, that stays as it is. */
export type ChangedChat = Omit<SourceChat, "cardAt"> & Partial<Pick<SourceChat, "cardAt">>;

export async function putChat(
  tx: Transaction,
  sourceId: number,
  { chat, ...values }: ChangedChat,
): Promise<void> {
  await tx.builders
    .insert(sourceChats)
    .values({ sourceId, chat, ...values })
    .onConflictDoUpdate({ target: [sourceChats.sourceId, sourceChats.chat], set: values });
}

export async function removeChat(tx: Transaction, sourceId: number, chat: string): Promise<void> {
  await tx.builders
    .delete(sourceChats)
    .where(and(eq(sourceChats.sourceId, sourceId), eq(sourceChats.chat, chat)));
}
