import { AppError } from "../../../../errors.ts";
import { isObject, type JsonObject, membersOf } from "../../../../values/json-text.ts";
import { message } from "../../../../values/messages/messages.ts";
import type { HiddenLink } from "../../../posts/hidden-links.ts";

/**
 * Links among a message's entities, as Telegram's libraries and its Bot API write them: those with an address
 * of their own. The places of all are in UTF-16 units.
 * @returns undefined if the message says nothing about entities
 */
export function linksOfEntities(entities: unknown): HiddenLink[] | undefined {
  if (!Array.isArray(entities)) return undefined;
  return entities.flatMap((entity) => {
    const { offset, length, url } = membersOf(entity);
    const isLink = typeof url === "string" && Number.isInteger(offset) && Number.isInteger(length);
    return isLink ? [{ offset: Number(offset), length: Number(length), target: url }] : [];
  });
}

/** A text, or the text of an object that has it with its entities. */
export function plainText(given: unknown): string | null {
  const text = isObject(given) ? given["text"] : given;
  return typeof text === "string" && text !== "" ? text : null;
}

/** The question of a poll or the title of a checklist, which are all the words such a message has. */
export function askedIn({ poll, checklist, todo }: JsonObject): string | null {
  const list = membersOf(checklist ?? todo);
  return plainText(membersOf(poll)["question"]) ?? plainText(list["title"]);
}

/** Media by the member that contains it, in Telegram's Bot API and Pyrogram. An animation also has a `document`. */
const MEDIA: Readonly<Record<string, string>> = {
  photo: "photo",
  live_photo: "photo",
  animation: "video",
  video: "video",
  video_note: "video",
  audio: "audio",
  voice: "voice",
  sticker: "sticker",
  poll: "poll",
  document: "document",
};
const OTHER_MEDIA = [
  ...["contact", "location", "venue", "dice", "game", "story", "paid_media", "invoice"],
  ...["giveaway", "giveaway_winners", "checklist"],
];

/** The kind of a message's media; empty if it has none. */
export function mediaOf(message: JsonObject): string[] {
  const member = Object.keys(MEDIA).find((name) => message[name] != null);
  if (member !== undefined) return [MEDIA[member] as string];
  return OTHER_MEDIA.some((name) => message[name] != null) ? ["other"] : [];
}

/**
 * Refuses a messenger's export that is being read as if it had our columns.
 * @param first beginning of the text
 * @throws AppError `invalid` that says how to import it
 */
export function refuseChatExport(first: string): void {
  const isDesktop = /^\s*\{[^{}[\]]*"messages"\s*:\s*\[/.test(first);
  if (isDesktop)
    throw new AppError("invalid", message("isChatExport", { from: "telegram-desktop" }));
  if (/^\s*\[?\s*\{\s*"_"\s*:\s*"Message(Service)?"\s*,/.test(first)) {
    const from = /"peer_id"\s*:/.test(first) ? "telethon" : "pyrogram";
    throw new AppError("invalid", message("isChatExport", { from }));
  }
}

/** Sum of a post's reactions, from a list with a `count` each; undefined if unknown. */
export function sumOfCounts(reactions: unknown): number | undefined {
  if (!Array.isArray(reactions)) return undefined;
  let sum = 0;
  for (const one of reactions) {
    if (!isObject(one) || typeof one["count"] !== "number") return undefined;
    sum += one["count"];
  }
  return sum;
}
