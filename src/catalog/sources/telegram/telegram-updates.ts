import type { Fields } from "../../imports/reading/input-row.ts";
import type { AlbumMessage } from "../album-post.ts";
import type { Batch } from "../batch-rows.ts";
import type { SourceChat } from "../sources.table.ts";
import type { TelegramApi, TelegramFault } from "./telegram-api.ts";
import { isGone, readCard, toChat } from "./telegram-cards.ts";
import { changesCard, isPost, toAlbumMessage, toChannelRow, toPostRow } from "./telegram-posts.ts";
import type { Chat, Message, Update } from "./telegram-shapes.ts";

/** The bot's statuses in which it receives a channel's posts, or may ask for a group's card. */
const READS: Record<string, readonly string[]> = {
  channel: ["administrator", "creator"],
  group: ["administrator", "creator", "member"],
  supergroup: ["administrator", "creator", "member"],
};

interface Reading {
  api: TelegramApi;
  nowMs: number;
  /** The source's channels before these updates, and those that they change, by id. */
  known: ReadonlyMap<string, SourceChat>;
  changed: Map<string, SourceChat>;
  channels: Fields[];
  posts: Fields[];
  albums: AlbumMessage[];
}

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
  const reading: Reading = {
    api,
    nowMs,
    known: new Map(known.map((chat) => [chat.chat, chat])),
    changed: new Map(),
    channels: [],
    posts: [],
    albums: [],
  };
  for (const { message, membership } of updates) {
    const fault =
      (membership === null ? null : await applyMembership(reading, membership)) ??
      (message?.chat.type === "channel" ? await applyMessage(reading, message) : null);
    if (fault !== null) return fault;
  }
  const { channels, posts, albums, changed } = reading;
  return { channels, posts, albums, chats: [...changed.values()] };
}

async function applyMembership(
  reading: Reading,
  { chat, status }: NonNullable<Update["membership"]>,
): Promise<TelegramFault | null> {
  if (READS[chat.type]?.includes(status) === true) return ensureAdded(reading, chat);
  const before = chatOf(reading, chat.id);
  if (before !== undefined) put(reading, { ...before, isRead: false });
  return null;
}

async function applyMessage(reading: Reading, message: Message): Promise<TelegramFault | null> {
  const { chat } = message;
  const fault = await ensureAdded(reading, chat);
  if (fault !== null) return fault;
  const { title, handle } = chatOf(reading, chat.id) ?? {};
  if (changesCard(message) || title !== chat.title || handle !== chat.username) {
    put(reading, toChat(chat, null));
  }
  const album = toAlbumMessage(message);
  if (album !== null) reading.albums.push(album);
  else if (isPost(message)) reading.posts.push(toPostRow(message));
  return null;
}

/** Adds a channel that the source does not read yet, with its card. */
async function ensureAdded(reading: Reading, chat: Chat): Promise<TelegramFault | null> {
  if (chatOf(reading, chat.id)?.isRead === true) return null;
  const card = await readCard(reading.api, chat);
  if ("failure" in card) {
    if (!isGone(card)) return card;
    // The bot was removed meanwhile, so the channel is stored as the update describes it.
    reading.channels.push(toChannelRow({ ...chat, description: null }, undefined));
    put(reading, toChat(chat, null));
  } else {
    reading.channels.push(toChannelRow(card.result.chat, card.result.subscribers));
    put(reading, toChat(card.result.chat, reading.nowMs));
  }
  return null;
}

/** The source's state of a channel after the updates so far. */
function chatOf({ known, changed }: Reading, id: string): SourceChat | undefined {
  return changed.get(id) ?? known.get(id);
}

function put({ changed }: Reading, chat: SourceChat): void {
  changed.set(chat.chat, chat);
}
