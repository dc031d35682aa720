import type { Transaction } from "../../../db/database.ts";
import { parseMessengerId } from "../../channels/channel-reference.ts";
import { createChannelIds } from "../../channels/channels.store.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { HiddenLink } from "../../posts/hidden-links.ts";
import { albumPostIds } from "../../posts/posts.store.ts";
import { type AlbumPart, NUMBERS_APART_MAX, putPart, selectParts } from "./stored-posts.store.ts";

/** A message of an album. All form one post, numbered as the first one (sources, section 3). */
export interface AlbumMessage {
  chat: string;
  album: string;
  messageId: number;
  text: string;
  links: readonly HiddenLink[];
  media: readonly string[];
  /** The message as a post of its own. */
  row: Fields;
}

/**
 * Stores a message of an album.
 * @param messages all album messages of the batch
 * @returns row of the album's post, as far as its messages are known
 */
export async function albumRow(
  tx: Transaction,
  sourceId: number,
  message: AlbumMessage,
  messages: readonly AlbumMessage[],
): Promise<Fields> {
  const { chat, album, messageId, text, links, media, row } = message;
  const [known] = await selectParts(tx, sourceId, message);
  const stored = known === undefined ? storedPost(tx, message) : undefined;
  if (stored !== undefined) {
    // Its other messages were never received here, so the post's media stay as they are, and its text too
    // unless this message has one.
    const ids = { channel_msgr_id: chat, msgr_post_id: String(stored), album };
    return { ...ids, edited_at: row["edited_at"], ...(text !== "" && { text, links }) };
  }
  const postId = known?.postId ?? firstOf(messages, message);
  const part = { chat, album, messageId, postId, text, links: [...links], media: media.join(" ") };
  await putPart(tx, sourceId, part);
  return {
    ...(messageId === postId ? row : { channel_msgr_id: chat, edited_at: row["edited_at"] }),
    msgr_post_id: String(postId),
    album,
    ...contentOf(await selectParts(tx, sourceId, message)),
  };
}

function contentOf(parts: readonly AlbumPart[]): Fields {
  let whole = "";
  const links: HiddenLink[] = [];
  for (const part of parts) {
    if (part.text === "") continue;
    if (whole !== "") whole += "\n\n";
    links.push(...part.links.map((link) => ({ ...link, offset: whole.length + link.offset })));
    whole += part.text;
  }
  const media = parts.flatMap(({ media }) => media.split(" ")).filter((kind) => kind !== "");
  return { text: whole, links, media: [...new Set(media)] };
}

/**
 * Number of the album's post, if an import stored it. If the import made a post of each message, this
 * message's own number.
 */
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
