import { type Database, statement } from "../../db/database.ts";
import { createChannelIds } from "../channels/channels.store.ts";
import { parseMessengerId } from "../channels/messenger-id.ts";

const BETWEEN = `
  SELECT CAST(msgr_post_id AS TEXT) AS id FROM posts
  WHERE channel_id = ? AND published_at BETWEEN ? AND ? AND msgr_post_id IS NOT NULL`;

/** The messenger's numbers of a channel's posts that were published in a span, in digits. */
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
