import type { Fields } from "../../imports/reading/input-row.ts";
import type { AlbumMessage } from "../album-post.ts";
import type { Batch } from "../batch-rows.ts";
import type { SourceChat } from "../sources.table.ts";
import type { TelegramApi, TelegramFault } from "./telegram-api.ts";
import { isGone, readCard, toChat } from "./telegram-cards.ts";
import { changesCard, isPost, toAlbumMessage, toChannelRow, toPostRow } from "./telegram-posts.ts";
import type { Chat, Message, Update } from "./telegram-shapes.ts";

/** The bot's statuses in which it receives a channel's posts, or may ask for a group's card. */
const READING: Record<string, readonly string[]> = {
  channel: ["administrator", "creator"],
  group: ["administrator", "creator", "member"],
  supergroup: ["administrator", "creator", "member"],
};

/**
 * Converts updates to a batch of rows. The card of a channel that is new to the source is read, so that the
 * channel is in the catalog before its first post.
 * @param known the source's channels
 */
export async function readBatch(
  updates: readonly Update[],
  known: readonly SourceChat[],
  api: TelegramApi,
  nowMs: number,
): Promise<Batch | TelegramFault> {
  const chats = new Map(known.map((chat) => [chat.chat, chat]));
  const changed = new Map<string, SourceChat>();
  const channels: Fields[] = [];
  const posts: Fields[] = [];
  const albums: AlbumMessage[] = [];

  function put(chat: SourceChat): void {
    chats.set(chat.chat, chat);
    changed.set(chat.chat, chat);
  }

  async function addChannel(chat: Chat): Promise<TelegramFault | null> {
    const card = await readCard(api, chat);
    if ("failure" in card && !isGone(card)) return card;
    if ("failure" in card) {
      // The bot was removed meanwhile, so the channel is stored as the update describes it.
      channels.push(toChannelRow({ ...chat, description: null }, undefined));
      put(toChat(chat, null));
    } else {
      channels.push(toChannelRow(card.result.chat, card.result.subscribers));
      put(toChat(card.result.chat, nowMs));
    }
    return null;
  }

  async function ensureAdded(chat: Chat): Promise<TelegramFault | null> {
    const before = chats.get(chat.id);
    return before?.isRead === true ? null : addChannel(chat);
  }

  async function post(message: Message): Promise<TelegramFault | null> {
    const { chat } = message;
    const fault = await ensureAdded(chat);
    if (fault !== null) return fault;
    const { title, handle } = chats.get(chat.id) ?? {};
    if (changesCard(message) || title !== chat.title || handle !== chat.username) {
      put(toChat(chat, null));
    }
    const album = toAlbumMessage(message);
    if (album !== null) albums.push(album);
    else if (isPost(message)) posts.push(toPostRow(message));
    return null;
  }

  for (const { message, membership } of updates) {
    if (membership !== null) {
      const { chat, status } = membership;
      const statuses = READING[chat.type] ?? [];
      const before = chats.get(chat.id);
      const fault = statuses.includes(status) ? await ensureAdded(chat) : null;
      if (fault !== null) return fault;
      if (!statuses.includes(status) && before !== undefined) put({ ...before, isRead: false });
    }
    const fault = message?.chat.type === "channel" ? await post(message) : null;
    if (fault !== null) return fault;
  }
  return { channels, posts, albums, chats: [...changed.values()] };
}
