import { isObject, membersOf } from "../../../values/json-text.ts";
import { type Day, formatDay } from "../../../values/moscow-time.ts";
import { linkById, parseLinkOrHandle } from "../../channels/channel-reference.ts";
import { postIdColumn } from "../../fields/columns.ts";
import { linksOfEntities } from "../../imports/reading/foreign/message-parts.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { HiddenLink } from "../../posts/hidden-links.ts";

/** MAX's own host, by which its links are recognized. */
const MAX_HOSTS = ["max.ru"];

/** Media by attachment type. Keyboards and link previews are not media. */
const MEDIA: Readonly<Record<string, string>> = {
  image: "photo",
  video: "video",
  audio: "audio",
  file: "document",
  sticker: "sticker",
  contact: "other",
  location: "other",
};

/**
 * Row of a channel. Whether it is public remains the operator's decision.
 * @param chat the channel's id at MAX, in digits
 */
export function toChannelRow(chat: string, card: Chat & { handle: string | null }): Fields {
  const { handle } = card;
  return {
    msgr_id: chat,
    title: titleOf(chat, card),
    kind: "channel",
    description: card.description ?? null,
    link: card.link ?? null,
    image: card.icon?.url ?? null,
    ...(handle !== null && { handle }),
    subscribers: card.participants_count,
  };
}

export function titleOf(chat: string, { title }: Chat): string {
  return title?.trim() || chat;
}

/** A public channel's handle, from its link; null for a private one. */
export function handleOf({ link }: Chat): string | null {
  const named = link == null ? null : parseLinkOrHandle(link, MAX_HOSTS);
  return named?.kind === "handle" ? named.handle : null;
}

export function toStatsRow(chat: string, day: Day, { participants_count }: Chat): Fields {
  return { channel_msgr_id: chat, day: formatDay(day), subscribers: participants_count };
}

/** A post's messenger id as stored in the catalog, in digits; null if MAX's id has another form. */
export function postIdOf({ body }: Message): string | null {
  const read = postId.read(body.mid);
  return "value" in read ? read.value : null;
}

const postId = postIdColumn();

/**
 * Row of a post, as imports accept it; MAX does not tell when a post was edited.
 * @param readAt when the views were read; null to keep the stored time unless they changed
 */
export function toPostRow(chat: string, message: Message, readAt: number | null): Fields {
  const { body, link, stat, url, timestamp } = message;
  const forwarded = link?.type === "forward" ? link : undefined;
  const content: Partial<Body>[] = forwarded?.message ? [body, forwarded.message] : [body];
  const from = digitsOf(forwarded?.chat_id);
  const { text = "", markup } = content.find(({ text }) => text) ?? {};
  return {
    channel_msgr_id: chat,
    msgr_post_id: body.mid,
    published_at: timestamp,
    text: text ?? "",
    links: linksOf(markup),
    media: mediaOf(content),
    link: url ?? undefined,
    forwarded_from: linkById(from),
    forwarded_from_name: forwarded?.sender?.name ?? forwarded?.sender?.first_name,
    ...(typeof stat?.views === "number" && { views: stat.views, views_at: readAt ?? undefined }),
  };
}

/** MAX calls the place where a mark begins `from`. */
function linksOf(markup: unknown): HiddenLink[] {
  const marks = (Array.isArray(markup) ? markup : []).map(membersOf);
  return linksOfEntities(marks.map((mark) => ({ ...mark, offset: mark["from"] }))) ?? [];
}

function mediaOf(content: readonly Partial<Body>[]): string[] {
  const kinds = content.flatMap(({ attachments }) =>
    (attachments ?? []).flatMap(({ type }) => MEDIA[type] ?? []),
  );
  return [...new Set(kinds)];
}

export function toDeletedRow(chat: string, postId: string): Fields {
  return { channel_msgr_id: chat, msgr_post_id: postId, deleted: true };
}

/**
 * The parts of MAX's Bot API that are read, according to its published description of July 2026 (0.0.32).
 * Responses are parsed by `parseExact`: an integer beyond 2^53 is a bigint.
 */

/** A 64-bit integer. */
type Long = number | bigint;

/** The parts of `Chat` that are read. */
export interface Chat {
  chat_id: Long;
  type: string;
  /** `active` while the bot is a member. */
  status: string;
  title: string | null;
  icon?: { url?: string } | null;
  participants_count: number;
  is_public?: boolean;
  link?: string | null;
  description?: string | null;
}

/** The parts of `MessageBody` that are read. */
interface Body {
  mid: string;
  text?: string | null;
  /** Formatted parts of the text. */
  markup?: unknown;
  attachments?: readonly { type: string }[] | null;
}

/** The parts of `Message` that are read. */
export interface Message {
  recipient?: { chat_id?: Long | null; chat_type?: string };
  /** Milliseconds since 1970. */
  timestamp: number;
  link?: {
    type?: string;
    sender?: { name?: string; first_name?: string } | null;
    chat_id?: Long | null;
    message?: Partial<Body>;
  } | null;
  body: Body;
  /** Only posts of channels have it. */
  stat?: { views?: number } | null;
  url?: string | null;
}

/** The parts of `ChatMember` that are read, for the bot itself. */
export interface Membership {
  is_admin?: boolean;
  is_owner?: boolean;
  permissions?: readonly string[] | null;
}

/** Digits of a 64-bit integer; null for anything else. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : null;
}

/** Whether it looks like a message with a time. The body is null if it only forwards another message. */
export function isTimed(value: unknown): value is { timestamp: number; body?: unknown } {
  return isObject(value) && Number.isSafeInteger(value["timestamp"]);
}

/** Whether it can be read as a post: without a body, a message has no id. */
export function isMessage(value: unknown): value is Message {
  return isTimed(value) && isObject(value.body) && typeof value.body["mid"] === "string";
}

export function isChat(value: unknown): value is Chat {
  return (
    isObject(value) &&
    digitsOf(value["chat_id"]) !== null &&
    typeof value["type"] === "string" &&
    typeof value["status"] === "string"
  );
}
