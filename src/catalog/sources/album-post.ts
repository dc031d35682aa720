import type { Transaction } from "../../db/database.ts";
import { createChannelIds } from "../channels/channels.store.ts";
import { parseMessengerId } from "../channels/messenger-id.ts";
import type { Fields } from "../imports/reading/input-row.ts";
import { albumPostIds } from "../posts/posts.store.ts";
import { type AlbumPart, NUMBERS_APART_MAX, putPart, selectParts } from "./album-parts.store.ts";

/**
 * A message that forms one post together with others: an album, identified by its first message's number
 * (sources, section 3).
 */
export interface AlbumMessage {
  chat: string;
  album: string;
  messageId: number;
  text: string;
  media: readonly string[];
  /** Row of a post with this message alone. */
  row: Fields;
}

/**
 * Stores a message of an album.
 * @param messages all messages of the batch
 * @returns row of the album's post, as far as its messages are known
 */
export async function albumRow(
  tx: Transaction,
  sourceId: number,
  message: AlbumMessage,
  messages: readonly AlbumMessage[],
): Promise<Fields> {
  const { chat, album, messageId, text, media, row } = message;
  const [known] = await selectParts(tx, sourceId, message);
  const stored = known === undefined ? storedPost(tx, message) : undefined;
  if (stored !== undefined) {
    // The album's other messages are unknown: the catalog is the only place that has their texts and media.
    const kept = { channel_msgr_id: chat, msgr_post_id: String(stored), album };
    return { ...kept, edited_at: row["edited_at"], ...(text !== "" && { text }) };
  }
  const postId = known?.postId ?? firstOf(messages, message);
  const part = { chat, album, messageId, postId, text, media: media.join(" ") };
  await putPart(tx, sourceId, part);
  return {
    ...(messageId === postId ? row : { channel_msgr_id: chat, edited_at: row["edited_at"] }),
    ...{ msgr_post_id: String(postId), album },
    ...contentOf(await selectParts(tx, sourceId, message)),
  };
}

function contentOf(parts: readonly AlbumPart[]): Fields {
  const texts = parts.map(({ text }) => text).filter((text) => text !== "");
  const media = parts.flatMap(({ media }) => media.split(" ")).filter((kind) => kind !== "");
  return { text: texts.join("\n\n"), media: [...new Set(media)] };
}

/** The album's post, if an import stored it; posts that an import made of each message stay separate. */
function storedPost(tx: Transaction, { chat, album, messageId }: AlbumMessage): number | undefined {
  const channel = createChannelIds(tx).byMessengerId(parseMessengerId(chat) ?? "");
  if (channel === undefined) return undefined;
  const stored = albumPostIds(tx, channel, album, {
    from: messageId - NUMBERS_APART_MAX,
    to: messageId + NUMBERS_APART_MAX,
  });
  return stored.includes(messageId) ? messageId : stored[0];
}

function firstOf(messages: readonly AlbumMessage[], { chat, album }: AlbumMessage): number {
  const together = messages.filter((one) => one.chat === chat && one.album === album);
  return Math.min(...together.map(({ messageId }) => messageId));
}
