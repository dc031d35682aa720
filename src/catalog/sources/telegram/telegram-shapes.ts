import { asObject, membersOf } from "../../../values/json-object.ts";

/**
 * Shapes of Telegram's Bot API 10, as much of them as is read. What has another shape is left out: it must
 * not keep what comes after it from being read.
 */

/** A number of 52 bits at the most, which is negative for groups and channels; here in digits. */
export interface Chat {
  id: string;
  type: string;
  title: string;
  username: string | null;
}

export interface FullChat extends Chat {
  description: string | null;
}

/** A message of a channel. */
export interface Message {
  message_id: number;
  /** Unix seconds, as the next. */
  date: number;
  edit_date: number | null;
  chat: Chat;
  /** All that it has. */
  content: Readonly<Record<string, unknown>>;
}

export interface Update {
  update_id: number;
  /** A message that is new, or that was edited. */
  message: Message | null;
  isEdit: boolean;
  /** The bot's own place in a chat, after it changed. */
  membership: { chat: Chat; status: string } | null;
}

/** Null for what is no list of updates. */
export function readUpdates(given: unknown): Update[] | null {
  if (!Array.isArray(given)) return null;
  const updates: Update[] = [];
  for (const one of given) {
    const update = asObject(one);
    const number = update?.["update_id"];
    if (update === null || !isWhole(number)) return null;
    const { channel_post: fresh, edited_channel_post: edited, my_chat_member: member } = update;
    updates.push({
      update_id: number,
      message: readMessage(fresh ?? edited),
      isEdit: fresh === undefined,
      membership: readMembership(member),
    });
  }
  return updates;
}

function readMessage(given: unknown): Message | null {
  const content = asObject(given);
  const chat = readChat(content?.["chat"]);
  if (content === null || chat === null) return null;
  const { message_id, date, edit_date } = content;
  if (!isWhole(message_id) || !isWhole(date)) return null;
  return { message_id, date, edit_date: isWhole(edit_date) ? edit_date : null, chat, content };
}

function readMembership(given: unknown): Update["membership"] {
  const member = asObject(given);
  const chat = readChat(member?.["chat"]);
  const status = asObject(member?.["new_chat_member"])?.["status"];
  return chat === null || typeof status !== "string" ? null : { chat, status };
}

export function readChat(given: unknown): FullChat | null {
  const { id, type, title, username, description } = membersOf(given);
  if (!isWhole(id) || typeof type !== "string") return null;
  return {
    id: String(id),
    type,
    title: textOf(title) ?? "",
    username: textOf(username),
    description: textOf(description),
  };
}

/** Null for an empty one too. */
export function textOf(given: unknown): string | null {
  return typeof given === "string" && given !== "" ? given : null;
}

function isWhole(given: unknown): given is number {
  return Number.isSafeInteger(given);
}
