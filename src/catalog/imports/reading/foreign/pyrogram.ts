import { type JsonObject, membersOf } from "../../../../values/json-text.ts";
import { linkById } from "../../../channels/channel-reference.ts";
import type { ForeignFormat } from "./foreign-formats.ts";
import { askedIn, linksOfEntities, mediaOf, sumOfCounts } from "./message-parts.ts";

/** Pyrogram messages as `str(message)` writes them: a JSON array, or one per line. */
export const pyrogram: ForeignFormat = {
  paths: ["$.*"],

  toPost(message) {
    const isPost = message["_"] === "Message" && message["service"] == null;
    if (!isPost || message["empty"] === true) return null;
    const chat = chatOf(message);
    const origin = membersOf(
      message["forward_from_chat"] ?? membersOf(message["forward_origin"])["chat"],
    );
    return {
      channel_msgr_id: chat["id"],
      channel: handleOf(chat),
      msgr_post_id: message["id"] ?? message["message_id"],
      text: message["text"] ?? message["caption"] ?? askedIn(message) ?? "",
      links: linksOfEntities(message["entities"] ?? message["caption_entities"]),
      views: message["views"],
      // Has no offset: it is in the time zone of the machine that made the file.
      published_at: message["date"],
      edited_at: message["edit_hidden"] === true ? undefined : message["edit_date"],
      media: mediaOf(message),
      forwards: message["forwards"],
      reactions: sumOfCounts(membersOf(message["reactions"])["reactions"]),
      forwarded_from: linkById(origin["id"]),
      forwarded_from_name: origin["title"] ?? message["forward_sender_name"],
      album: message["media_group_id"] == null ? undefined : String(message["media_group_id"]),
    };
  },

  toChannel(_beside, message) {
    const chat = chatOf(message ?? {});
    if (chat["id"] === undefined) return null;
    const kind = /channel$/i.test(String(chat["type"])) ? "channel" : "chat";
    const { id, title, username, description, members_count } = chat;
    return {
      msgr_id: id,
      handle: username,
      title,
      kind,
      description,
      subscribers: members_count,
    };
  },
};

/** A message's channel or group; nothing for a person, whose ids are not channels'. */
function chatOf(message: JsonObject): JsonObject {
  const chat = membersOf(message["chat"]);
  return /(?:private|bot)$/i.test(String(chat["type"])) ? {} : chat;
}

function handleOf({ username }: JsonObject): string | undefined {
  return typeof username === "string" ? `@${username}` : undefined;
}
