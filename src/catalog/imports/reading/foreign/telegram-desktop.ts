import { isObject, type JsonObject, membersOf } from "../../../../values/json-text.ts";
import { linkById } from "../../../channels/channel-reference.ts";
import type { HiddenLink } from "../../../posts/hidden-links.ts";
import type { Fields } from "../recognized.ts";
import type { ForeignFormat } from "./foreign-formats.ts";
import { askedIn, sumOfCounts } from "./message-parts.ts";

/** Media by Telegram Desktop's `media_type`. */
const MEDIA: Record<string, string> = {
  animation: "video",
  video_file: "video",
  video_message: "video",
  audio_file: "audio",
  voice_message: "voice",
  sticker: "sticker",
};
const OTHER_MEDIA = [
  "contact_information",
  "location_information",
  "game_title",
  "invoice_information",
];

const CHANNELS = ["public_channel", "private_channel"];
/** Other chats that share the channels' range of ids; people and small groups do not. */
const CHATS = ["public_supergroup", "private_supergroup"];

/** `result.json` of Telegram Desktop: one channel's history, exported as JSON. */
export const telegramDesktop: ForeignFormat = {
  paths: ["$.id", "$.name", "$.type", "$.messages.*"],
  isDocument: true,

  toPost(message, beside) {
    if (message["type"] !== "message") return null;
    const { id, date, date_unixtime, edited, edited_unixtime, todo_list: todo, poll } = message;
    const { text, links } = textOf(message);
    return {
      channel_msgr_id: hasChannelId(beside)
        ? (beside["id"] ?? channelOf(message["from_id"]))
        : undefined,
      msgr_post_id: id,
      text: text === "" ? (askedIn({ poll, todo }) ?? "") : text,
      links,
      views: message["views"],
      published_at: date_unixtime ?? date,
      edited_at: edited_unixtime ?? edited,
      media: mediaOf(message),
      forwards: message["forwards"],
      reactions: sumOfCounts(message["reactions"]),
      forwarded_from: linkById(channelOf(message["forwarded_from_id"])),
      forwarded_from_name: message["forwarded_from"],
    } satisfies Fields;
  },

  toChannel(beside) {
    const { id, name, type } = beside;
    if (id === undefined || !hasChannelId(beside)) return null;
    const kind = CHANNELS.includes(String(type)) ? "channel" : "chat";
    return { msgr_id: id, title: name, kind };
  },
};

/** Whether the chat's id is a channel's, as far as its type says. */
function hasChannelId({ type }: JsonObject): boolean {
  return type === undefined || [...CHANNELS, ...CHATS].includes(String(type));
}

/** Messenger id of a channel written as `channel1234`; people and groups have other prefixes. */
function channelOf(name: unknown): string | undefined {
  return /^channel(\d+)$/.exec(String(name))?.[1];
}

/** A text is a string, or a list of strings and formatted parts, some of which have an address. */
function textOf({ text, text_entities: entities }: JsonObject) {
  const parts = Array.isArray(text) ? text : entities;
  if (!Array.isArray(parts)) return { text };
  let whole = "";
  const links: HiddenLink[] = [];
  for (const part of parts) {
    const words = String((isObject(part) ? part["text"] : part) ?? "");
    const { href } = membersOf(part);
    if (typeof href === "string") {
      links.push({ offset: whole.length, length: words.length, target: href });
    }
    whole += words;
  }
  return { text: whole, links };
}

function mediaOf(message: JsonObject): string[] {
  const { media_type, photo, file, poll } = message;
  if (photo !== undefined) return ["photo"];
  if (poll !== undefined) return ["poll"];
  if (media_type !== undefined) return [MEDIA[String(media_type)] ?? "other"];
  if (file !== undefined) return ["document"];
  return OTHER_MEDIA.some((name) => message[name] !== undefined) ? ["other"] : [];
}
