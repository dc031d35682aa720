import { membersOf } from "../../../values/json-text.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { SourceChat } from "../sources.table.ts";
import { digitsOf, toDeletedRow } from "./max-rows.ts";

/**
 * A change in a channel, reported by an update. The posts themselves are requested from MAX, so repeated or
 * reordered updates do no harm.
 */
interface ChannelUpdate {
  /** The channel's id, in digits. */
  chat: string;
  /** False if the update does not say that the chat is a channel: it counts only for known ones. */
  isChannel: boolean;
  /** Id of a message that was deleted for good; null if none was. */
  removed: string | null;
}

/** Types of updates about channels, which a subscription requests. */
export const UPDATE_TYPES = [
  "message_created",
  "message_edited",
  "message_removed",
  "bot_added",
  "bot_removed",
  "chat_title_changed",
] as const;

/**
 * Changes reported by updates: channels to read, and posts deleted for good. A deletion that arrives before
 * its post prevents the post from being stored.
 * @param chats the source's channels
 */
export function changesOf(
  updates: readonly unknown[],
  chats: readonly SourceChat[],
): { chats: SourceChat[]; posts: Fields[] } {
  const known = new Map(chats.map((one) => [one.chat, one]));
  const changed = new Map<string, SourceChat>();
  const posts: Fields[] = [];
  for (const update of updates) {
    const change = readUpdate(update);
    if (change === null) continue;
    const { chat, isChannel, removed } = change;
    const before = known.get(chat);
    if (!isChannel && before === undefined) continue;
    changed.set(chat, { ...(before ?? unreadChat(chat)), cardAt: null });
    if (removed !== null && before?.isRead === true) posts.push(toDeletedRow(chat, removed));
  }
  return { chats: [...changed.values()], posts };
}

/** A channel that is still to be read. @param chat its id in digits */
export function unreadChat(chat: string): SourceChat {
  return { chat, title: chat, handle: null, isRead: false, cardAt: null, fault: null };
}

/** Parses MAX's `Update`; null if it does not concern a channel, such as a person's message to the bot. */
function readUpdate(update: unknown): ChannelUpdate | null {
  const { update_type, message, chat_id, is_channel, message_id: removed } = membersOf(update);
  switch (update_type) {
    case "message_created":
    case "message_edited": {
      const to = membersOf(membersOf(message)["recipient"]);
      return to["chat_type"] === "channel" ? read(to["chat_id"], true) : null;
    }
    case "bot_added":
    case "bot_removed":
      return is_channel === true ? read(chat_id, true) : null;
    case "chat_title_changed":
      return read(chat_id, false);
    case "message_removed":
      return read(chat_id, false, typeof removed === "string" ? removed : null);
    default:
      return null;
  }
}

function read(
  id: unknown,
  isChannel: boolean,
  removed: string | null = null,
): ChannelUpdate | null {
  const chat = digitsOf(id);
  return chat === null ? null : { chat, isChannel, removed };
}
