import type { Fields } from "../../imports/source-row.ts";
import { channelLink } from "../../imports/foreign/channel-link.ts";

/**
 * Posts as Telegram's Bot API 10 describes them: `Message` of a channel, which comes as `channel_post` or
 * `edited_channel_post` of an update.
 */

/** What is read of the API's `Chat`. */
export interface Chat {
  id: number;
  type: string;
  title?: string;
  username?: string;
}

/** What is read of the API's `Message`. */
export interface Message {
  message_id: number;
  date: number;
  chat: Chat;
  edit_date?: number;
  text?: string;
  caption?: string;
  media_group_id?: string;
  forward_origin?: { type: string; chat?: Chat; sender_user_name?: string };
  [media: string]: unknown;
}

/** Kinds of media by the member of `Message` that holds them; an animation has a `document` as well. */
const MEDIA: readonly (readonly [member: string, kind: string])[] = [
  ["photo", "photo"],
  ["animation", "video"],
  ["video", "video"],
  ["video_note", "video"],
  ["audio", "audio"],
  ["voice", "voice"],
  ["sticker", "sticker"],
  ["poll", "poll"],
  ["document", "document"],
];
const OTHER_MEDIA = ["contact", "location", "venue", "dice", "game", "story", "paid_media"];

/** Whether a message is a post, and not a note of the messenger such as that the title was changed. */
export function isPost(message: Message): boolean {
  return message.text !== undefined || message.caption !== undefined || mediaOf(message) !== null;
}

/** The row of a post, as an import takes it. */
export function toPostRow(message: Message): Fields {
  const { forward_origin: origin } = message;
  const from = origin?.type === "channel" ? origin.chat : undefined;
  return {
    channel_msgr_id: String(message.chat.id),
    msgr_post_id: String(message.message_id),
    published_at: message.date,
    edited_at: message.edit_date,
    text: message.text ?? message.caption ?? "",
    media: mediaOf(message) ?? [],
    album: message.media_group_id,
    forwarded_from: from === undefined ? undefined : channelLink(from.id),
    forwarded_from_name: from?.title ?? origin?.sender_user_name,
  };
}

/** Null where there is none. */
function mediaOf(message: Message): string[] | null {
  const known = MEDIA.find(([member]) => message[member] !== undefined);
  if (known !== undefined) return [known[1]];
  return OTHER_MEDIA.some((member) => message[member] !== undefined) ? ["other"] : null;
}

/** An album's post as it is so far: its first message, whose number it has, and the media of all. */
export interface AlbumHead {
  msgr_post_id: string;
  text: string;
  media: readonly string[];
}

/**
 * The row of a message of an album, which is one post with the first message's number (sources, section 3).
 * @param head null for the first message
 */
export function toAlbumRow(row: Fields, head: AlbumHead | null): Fields {
  if (head === null || head.msgr_post_id === row["msgr_post_id"]) return row;
  const media = [...new Set([...head.media, ...(row["media"] as string[])])];
  const { channel_msgr_id, album, edited_at, text } = row;
  return {
    ...{ channel_msgr_id, album, edited_at, media, msgr_post_id: head.msgr_post_id },
    text: text === "" ? head.text : text,
  };
}

/** The row of a channel, with what the API says of it in several answers. */
export function toChannelRow(
  { id, title, username, type }: Chat,
  more: { description?: string | undefined; subscribers?: number | undefined } = {},
): Fields {
  return {
    msgr_id: String(id),
    title,
    handle: username ?? null,
    kind: type === "channel" ? "channel" : "chat",
    description: more.description,
    subscribers: more.subscribers,
  };
}
