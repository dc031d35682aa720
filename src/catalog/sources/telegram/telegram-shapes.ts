import { asObject, membersOf } from "../../../values/json-object.ts";

/**
 * The parts of Telegram's Bot API 10 that are read. Anything in another form is skipped, so that it does
 * not block what follows.
 */

/** A chat. Its id has at most 52 bits and is negative for groups and channels; here it is in digits. */
export interface Chat {
  id: string;
  type: string;
  title: string;
  username: string | null;
}

export interface FullChat extends Chat {
  description: string | null;
}

export interface Message {
  message_id: number;
  /** Unix seconds, like `edit_date`. */
  date: number;
  edit_date: number | null;
  chat: Chat;
  content: Readonly<Record<string, unknown>>;
}

export interface Update {
  update_id: number;
  message: Message | null;
  isEdit: boolean;
  /** The bot's own status in a chat after a change. */
  membership: { chat: Chat; status: string } | null;
}

/** Null if it is not a list of updates. */
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

/** Null for an empty text as well. */
export function textOf(given: unknown): string | null {
  return typeof given === "string" && given !== "" ? given : null;
}

function isWhole(given: unknown): given is number {
  return Number.isSafeInteger(given);
}
