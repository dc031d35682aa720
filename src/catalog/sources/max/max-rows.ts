import { type Day, formatDay } from "../../../values/moscow-time.ts";
import { parseLinkOrHandle } from "../../channels/channel-reference.ts";
import { postIdColumn } from "../../fields/columns.ts";
import { channelLink } from "../../imports/foreign/channel-link.ts";
import type { Fields } from "../../imports/input-row.ts";
import { type Body, type Chat, digitsOf, type Message } from "./max-shapes.ts";

/** MAX's own host, by which its links are known. */
const MAX_HOSTS = ["max.ru"];

/** Kinds of media by the type of an attachment. Keyboards and previews of links are none. */
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
 * The row of a channel. Whether it is shown stays the operator's to say.
 * @param chat the channel's number at MAX, in digits
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

/** A public channel's name in its link; null for a private one. */
export function handleOf({ link }: Chat): string | null {
  const named = link == null ? null : parseLinkOrHandle(link, MAX_HOSTS);
  return named?.kind === "handle" ? named.handle : null;
}

/** The row of the subscribers that a channel has today. */
export function toStatsRow(chat: string, day: Day, { participants_count }: Chat): Fields {
  return { channel_msgr_id: chat, day: formatDay(day), subscribers: participants_count };
}

/** The number of a post that the catalog keeps, in digits; null where MAX's is of another form. */
export function postIdOf({ body }: Message): string | null {
  const read = postId.read(body.mid);
  return "value" in read ? read.value : null;
}

const postId = postIdColumn();

/**
 * The row of a post, as an import takes it; MAX does not say when a post was edited.
 * @param readAt when the views were read; null: to be noted where they changed
 */
export function toPostRow(chat: string, message: Message, readAt: number | null): Fields {
  const { body, link, stat, url, timestamp } = message;
  const forwarded = link?.type === "forward" ? link : undefined;
  const content: Partial<Body>[] = forwarded?.message ? [body, forwarded.message] : [body];
  const from = digitsOf(forwarded?.chat_id);
  return {
    channel_msgr_id: chat,
    msgr_post_id: body.mid,
    published_at: timestamp,
    text: content.map(({ text }) => text ?? "").find((text) => text !== "") ?? "",
    media: mediaOf(content),
    link: url ?? undefined,
    forwarded_from: channelLink(from ?? undefined),
    forwarded_from_name: forwarded?.sender?.name ?? forwarded?.sender?.first_name,
    ...(typeof stat?.views === "number" && { views: stat.views, views_at: readAt ?? undefined }),
  };
}

function mediaOf(content: readonly Partial<Body>[]): string[] {
  const kinds = content.flatMap(({ attachments }) =>
    (attachments ?? []).flatMap(({ type }) => MEDIA[type] ?? []),
  );
  return [...new Set(kinds)];
}

/** The row that takes down a post that MAX has no more. */
export function toDeletedRow(chat: string, postId: string): Fields {
  return { channel_msgr_id: chat, msgr_post_id: postId, deleted: true };
}
