import { type Database, statement } from "../../db/database.ts";
import { createChannelIds } from "../channels/channels.store.ts";
import { parseMessengerId } from "../channels/messenger-id.ts";

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
