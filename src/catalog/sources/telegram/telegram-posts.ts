import { membersOf } from "../../../values/json-text.ts";
import { linkById, parseMessengerId } from "../../channels/channel-reference.ts";
import { askedIn, linksOfEntities } from "../../imports/reading/foreign/message-parts.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { HiddenLink } from "../../posts/hidden-links.ts";
import type { AlbumMessage } from "../bots/album-post.ts";
import { richMedia, richText } from "./rich-message.ts";
import { type FullChat, type Message, readChat, textOf } from "./telegram-api.ts";

/** Media by the member that contains it. The first match counts: an animation also has a `document`. */
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

/** Whether a message is a post, rather than a service message such as a changed title. */
export function isPost({ message_id, content }: Message): boolean {
  // A video still being processed has number 0 until it is sent.
  return message_id > 0 && (textIn(content) !== null || mediaIn(content) !== null);
}

export function changesCard({ content }: Message): boolean {
  return ["new_chat_title", "new_chat_photo", "delete_chat_photo"].some((name) => name in content);
}

function textIn(content: Message["content"]): string | null {
  const { text, caption, rich_message: rich } = content;
  return textOf(text) ?? textOf(caption) ?? textOf(richText(rich)) ?? askedIn(content);
}

/** Links under other words; in rich messages they are not read. */
function linksIn(content: Message["content"]): HiddenLink[] {
  const { text, entities, caption_entities: ofCaption } = content;
  return linksOfEntities(textOf(text) === null ? ofCaption : entities) ?? [];
}

/** Null if there is none. */
function mediaIn(content: Message["content"]): string[] | null {
  const known = MEDIA.find(([member]) => content[member] !== undefined);
  if (known !== undefined) return [known[1]];
  if (content["rich_message"] !== undefined) return richMedia(content["rich_message"]);
  return OTHER_MEDIA.some((member) => content[member] !== undefined) ? ["other"] : null;
}

/** Row of a post, as imports accept it. The API does not report views, so they stay unknown. */
export function toPostRow({ message_id, date, edit_date, chat, content }: Message): Fields {
  const origin = membersOf(content["forward_origin"]);
  const from = readChat(origin["chat"] ?? origin["sender_chat"]);
  return {
    channel_msgr_id: chat.id,
    msgr_post_id: String(message_id),
    published_at: date * 1000,
    edited_at: edit_date === null ? undefined : edit_date * 1000,
    text: textIn(content) ?? "",
    links: linksIn(content),
    media: mediaIn(content) ?? [],
    link: chat.username === null ? undefined : `https://t.me/${chat.username}/${message_id}`,
    forwarded_from: from?.type === "channel" ? linkById(parseMessengerId(from.id)) : undefined,
    forwarded_from_name: from?.title ?? nameOf(origin) ?? undefined,
  };
}

/** Name of the person whose message was forwarded; null if the origin has none. */
function nameOf({ sender_user_name: name, sender_user: user }: Record<string, unknown>) {
  const { first_name, last_name } = membersOf(user);
  const whole = [textOf(first_name), textOf(last_name)].filter((part) => part !== null);
  return textOf(name) ?? textOf(whole.join(" "));
}

/** Null for a message that is a post on its own. */
export function toAlbumMessage(message: Message): AlbumMessage | null {
  const { message_id: messageId, chat, content } = message;
  const album = textOf(content["media_group_id"]);
  if (album === null) return null;
  const text = textIn(content) ?? "";
  const media = mediaIn(content) ?? [];
  const links = linksIn(content);
  return { chat: chat.id, album, messageId, text, links, media, row: toPostRow(message) };
}

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
