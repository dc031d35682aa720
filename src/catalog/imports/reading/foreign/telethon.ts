import { isObject, type JsonObject, membersOf } from "../../../../values/json-text.ts";
import { linkById } from "../../../channels/channel-reference.ts";
import type { ForeignFormat } from "./foreign-formats.ts";
import { askedIn, linksOfEntities, sumOfCounts } from "./message-parts.ts";

/** Telethon messages as `to_json()` or `to_dict()` returns them: a JSON array, or one per line. */
export const telethon: ForeignFormat = {
  paths: ["$.*"],

  toPost(message) {
    if (message["_"] !== "Message") return null;
    const { id, date, views, forwards, grouped_id, edit_date, edit_hide } = message;
    const origin = membersOf(message["fwd_from"]);
    return {
      channel_msgr_id: membersOf(message["peer_id"])["channel_id"],
      msgr_post_id: id,
      text: message["message"] || (askedIn(membersOf(message["media"])) ?? ""),
      links: linksOfEntities(message["entities"]),
      views,
      published_at: date,
      // For Telegram, adding a reaction is an edit too, but a hidden one.
      edited_at: edit_hide === true ? undefined : edit_date,
      media: mediaOf(message["media"]),
      forwards,
      reactions: sumOfCounts(membersOf(message["reactions"])["results"]),
      comments: membersOf(message["replies"])["replies"],
      forwarded_from: linkById(membersOf(origin["from_id"])["channel_id"]),
      forwarded_from_name: origin["from_name"],
      album: grouped_id == null ? undefined : String(grouped_id),
    };
  },

  toChannel(_beside, message) {
    const { channel_id: id } = membersOf(message?.["peer_id"]);
    return id === undefined ? null : { msgr_id: id };
  },
};

/** Null means a post without media; if the field is missing, nothing is known. */
function mediaOf(media: unknown): string[] | undefined {
  if (media === undefined) return undefined;
  if (!isObject(media)) return [];
  switch (media["_"]) {
    case "MessageMediaPhoto":
      return ["photo"];
    case "MessageMediaPoll":
      return ["poll"];
    case "MessageMediaDocument":
      return [documentOf(membersOf(media["document"]))];
    case "MessageMediaEmpty":
    // A link's preview is not media of the post itself.
    case "MessageMediaWebPage":
      return [];
    default:
      return ["other"];
  }
}

function documentOf({ attributes }: JsonObject): string {
  const found = Array.isArray(attributes) ? attributes.filter(isObject) : [];
  const attribute = (name: string): JsonObject | undefined =>
    found.find((one) => one["_"] === `DocumentAttribute${name}`);
  if (attribute("Sticker") !== undefined) return "sticker";
  if (attribute("Video") !== undefined || attribute("Animated") !== undefined) return "video";
  const audio = attribute("Audio");
  if (audio === undefined) return "document";
  return audio["voice"] === true ? "voice" : "audio";
}
