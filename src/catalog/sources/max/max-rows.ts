import { membersOf } from "../../../values/json-text.ts";
import { type Day, formatDay } from "../../../values/moscow-time.ts";
import { linkById, parseLinkOrHandle } from "../../channels/channel-reference.ts";
import { postIdColumn } from "../../fields/columns.ts";
import { linksOfEntities } from "../../imports/reading/foreign/message-parts.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { HiddenLink } from "../../posts/hidden-links.ts";
import { type Body, type Chat, digitsOf, type Message } from "./max-shapes.ts";

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

/** Row that takes down a post that MAX no longer has. */
export function toDeletedRow(chat: string, postId: string): Fields {
  return { channel_msgr_id: chat, msgr_post_id: postId, deleted: true };
}
