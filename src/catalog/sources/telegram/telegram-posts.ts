import { channelLink } from "../../imports/foreign/channel-link.ts";
import type { Fields } from "../../imports/source-row.ts";
import type { AlbumMessage } from "../album-post.ts";
import { type Chat, type FullChat, type Message, readChat, textOf } from "./telegram-shapes.ts";

/** Kinds of media by the member of a message that holds them; an animation has a `document` as well. */
const MEDIA: readonly (readonly [member: string, kind: string])[] = [
  ["photo", "photo"],
  ["live_photo", "photo"],
  ["animation", "video"],
  ["video", "video"],
  ["video_note", "video"],
  ["audio", "audio"],
  ["voice", "voice"],
  ["sticker", "sticker"],
  ["poll", "poll"],
  ["document", "document"],
];
const OTHER_MEDIA = [
  ...["contact", "location", "venue", "dice", "game", "story", "paid_media", "invoice"],
  ...["giveaway", "giveaway_winners", "checklist"],
];

/** Whether a message is a post, and not a note of the messenger such as that the title was changed. */
export function isPost({ content }: Message): boolean {
  return textIn(content) !== null || mediaIn(content) !== null;
}

/** Whether a message says that the channel's card is another now. */
export function changesCard({ content }: Message): boolean {
  return ["new_chat_title", "new_chat_photo", "delete_chat_photo"].some((name) => name in content);
}

function textIn({ text, caption }: Message["content"]): string | null {
  return textOf(text) ?? textOf(caption);
}

/** Null where there is none. */
function mediaIn(content: Message["content"]): string[] | null {
  const known = MEDIA.find(([member]) => content[member] !== undefined);
  if (known !== undefined) return [known[1]];
  return OTHER_MEDIA.some((member) => content[member] !== undefined) ? ["other"] : null;
}

/** The row of a post, as an import takes it. Its views are not in the API, and stay unknown. */
export function toPostRow({ message_id, date, edit_date, chat, content }: Message): Fields {
  const origin = (content["forward_origin"] ?? {}) as Record<string, unknown>;
  const from = readChat(origin["chat"] ?? origin["sender_chat"]);
  return {
    channel_msgr_id: chat.id,
    msgr_post_id: String(message_id),
    published_at: date * 1000,
    edited_at: edit_date === null ? undefined : edit_date * 1000,
    text: textIn(content) ?? "",
    media: mediaIn(content) ?? [],
    link: chat.username === null ? undefined : `https://t.me/${chat.username}/${message_id}`,
    forwarded_from: from?.type === "channel" ? channelLink(bare(from)) : undefined,
    forwarded_from_name: from?.title ?? textOf(origin["sender_user_name"]) ?? undefined,
  };
}

/** A channel's number as links have it: without the mark of channels. */
function bare({ id }: Chat): string {
  return id.replace(/^-100/, "");
}

/** A message of an album; null for one that is a post by itself. */
export function toAlbumMessage(message: Message): AlbumMessage | null {
  const { message_id: messageId, chat, content } = message;
  const album = textOf(content["media_group_id"]);
  if (album === null) return null;
  const text = textIn(content) ?? "";
  return {
    chat: chat.id,
    album,
    messageId,
    text,
    media: mediaIn(content) ?? [],
    row: toPostRow(message),
  };
}

/** The row of a channel as its card has it. */
export function toChannelRow(
  { id, title, username, type, description }: FullChat,
  subscribers: number | undefined,
): Fields {
  return {
    msgr_id: id,
    title: title === "" ? undefined : title,
    handle: username,
    link: username === null ? undefined : `https://t.me/${username}`,
    kind: type === "channel" ? "channel" : "chat",
    description,
    subscribers,
  };
}
