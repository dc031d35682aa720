import { asObject, membersOf } from "../../../values/json-text.ts";
import { linkById, parseMessengerId } from "../../channels/channel-reference.ts";
import { askedIn, linksOfEntities, mediaOf } from "../../imports/reading/foreign/message-parts.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { HiddenLink } from "../../posts/hidden-links.ts";
import type { AlbumMessage } from "../bots/album-post.ts";
import { type FullChat, type Message, readChat, textOf } from "./telegram-api.ts";

/** Whether a message is a post, rather than a service message such as a changed title. */
export function isPost({ message_id, content }: Message): boolean {
  // A video still being processed has number 0 until it is sent.
  const hasContent = content["rich_message"] !== undefined || mediaIn(content).length > 0;
  return message_id > 0 && (textIn(content) !== null || hasContent);
}

export function changesCard({ content }: Message): boolean {
  return ["new_chat_title", "new_chat_photo", "delete_chat_photo"].some((name) => name in content);
}

function textIn(content: Message["content"]): string | null {
  const { text, caption, rich_message: rich } = content;
  return textOf(text) ?? textOf(caption) ?? textOf(readRich(rich).text) ?? askedIn(content);
}

/** Links under other words. */
function linksIn(content: Message["content"]): HiddenLink[] {
  const { text, entities, caption, caption_entities: ofCaption, rich_message: rich } = content;
  if ((textOf(text) ?? textOf(caption)) === null) return readRich(rich).links;
  return linksOfEntities(textOf(text) === null ? ofCaption : entities) ?? [];
}

/** Kinds of its media; empty if there are none. */
function mediaIn(content: Message["content"]): string[] {
  const { rich_message: rich } = content;
  return rich === undefined ? mediaOf(content) : richMedia(rich);
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
    media: mediaIn(content),
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
  const media = mediaIn(content);
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

/**
 * Rich messages (Bot API 10): nested blocks and texts. They are read by what their members contain rather
 * than by type, so that types added later are read too.
 */

/** Depth limit, far above the 16 levels that the API permits. */
const DEPTH_MAX = 40;

const RICH_MEDIA: Readonly<Record<string, string>> = {
  photo: "photo",
  animation: "video",
  video: "video",
  audio: "audio",
  document: "document",
  voice_note: "voice",
  location: "other",
};

/** Text of a rich message, one line per block, and its links; empty for anything else. */
function readRich(message: unknown): { text: string; links: HiddenLink[] } {
  const targets: string[] = [];
  const marked = linesOf(asObject(message)?.["blocks"], 0, targets).join("\n");
  const links: HiddenLink[] = [];
  const open: HiddenLink[] = [];
  let text = "";
  for (const [, plain = "", mark] of marked.matchAll(/([^\uFFFE]*)(?:\uFFFE(\d*)\uFFFF)?/g)) {
    text += plain;
    if (mark === undefined) continue;
    if (mark === "") {
      const ended = open.pop();
      if (ended !== undefined) ended.length = text.length - ended.offset;
    } else {
      const link = { offset: text.length, length: 0, target: targets[Number(mark)] ?? "" };
      links.push(link);
      open.push(link);
    }
  }
  return { text, links };
}

/** Kinds of media in a rich message. */
function richMedia(message: unknown): string[] {
  const kinds = new Set<string>();
  const visit = (given: unknown, depth: number): void => {
    if (depth > DEPTH_MAX) return;
    for (const one of listOf(given)) {
      const block = asObject(one);
      const kind = RICH_MEDIA[Object.keys(block ?? {}).find((name) => name in RICH_MEDIA) ?? ""];
      if (kind !== undefined) kinds.add(kind);
      visit(block?.["blocks"], depth + 1);
      visit(block?.["items"], depth + 1);
    }
  };
  visit(asObject(message)?.["blocks"], 0);
  return [...kinds];
}

function linesOf(blocks: unknown, depth: number, targets: string[]): string[] {
  if (depth > DEPTH_MAX) return [];
  return listOf(blocks)
    .flatMap((one) => {
      const { text, expression, summary, blocks, items, cells, caption, credit, label } =
        membersOf(one);
      const within = [
        ...linesOf(blocks, depth + 1, targets),
        ...linesOf(items, depth + 1, targets),
        ...listOf(cells).map((row) => linesOf(row, depth + 1, targets).join(" ")),
      ];
      // An item's label precedes its first line.
      if (typeof label === "string") within[0] = `${label} ${within[0] ?? ""}`.trim();
      const { text: captionText, credit: captionCredit } = asObject(caption) ?? { text: caption };
      return [
        ...[words(text ?? expression, depth, targets), words(summary, depth, targets), ...within],
        ...[words(captionText, depth, targets), words(captionCredit ?? credit, depth, targets)],
      ];
    })
    .filter((line) => line !== "");
}

/**
 * Text in a value: a string, a list of texts, or an object containing one. Around a link's words stand marks,
 * of characters that no text has, until the places of all words are known.
 * @param targets is filled with the links' addresses
 */
function words(given: unknown, depth: number, targets: string[]): string {
  if (typeof given === "string") return given.replace(/[\uFFFE\uFFFF]/g, "");
  if (depth > DEPTH_MAX) return "";
  if (Array.isArray(given)) return given.map((one) => words(one, depth + 1, targets)).join("");
  const { text, alternative_text, expression, button, url } = membersOf(given);
  const inside = text ?? alternative_text ?? expression ?? asObject(button)?.["text"] ?? "";
  const shown = words(inside, depth + 1, targets);
  if (typeof url !== "string" || shown === "" || shown === url) return shown;
  return `\uFFFE${targets.push(url) - 1}\uFFFF${shown}\uFFFE\uFFFF`;
}

function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}
