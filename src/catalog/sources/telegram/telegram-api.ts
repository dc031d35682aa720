import { asObject, membersOf } from "../../../values/json-text.ts";
import { message, type Message as UserMessage } from "../../../values/messages/messages.ts";
import type { ReactionCount } from "../bots/batch-writer.ts";
import type { BotAccess } from "../bots/bot-messenger.ts";
import type { ApiAnswer, BotFault, CallApi } from "../bots/call-api.ts";
import { ONCE, refused, waitOf } from "../bots/call-api.ts";

export interface TelegramFault extends BotFault {
  /** New id of a group that became a supergroup; null for any other fault. */
  movedTo: string | null;
}

export type Answered<Result> = { result: Result } | TelegramFault;

export type TelegramApi = ReturnType<typeof createTelegramApi>;

const UPDATE_KINDS = [
  "channel_post",
  "edited_channel_post",
  "my_chat_member",
  "message_reaction_count",
];
/** Updates per response, of 100 possible: even the longest posts stay far below the size limit. */
const UPDATES_MAX = 20;
const ANSWER_MS = 30_000;

/** The methods of Telegram's Bot API 10 that a source needs. */
export function createTelegramApi(
  { api, token }: Pick<BotAccess, "api" | "token">,
  ask: CallApi,
  signal: AbortSignal,
  tryAgain = ONCE,
) {
  function call<Result>(
    method: string,
    parameters: Record<string, string | number>,
    read: (result: unknown) => Result | null,
    waitMs = 0,
  ): Promise<Answered<Result>> {
    return tryAgain(() => callOnce(method, parameters, read, waitMs));
  }

  async function callOnce<Result>(
    method: string,
    parameters: Record<string, string | number>,
    read: (result: unknown) => Result | null,
    waitMs: number,
  ): Promise<Answered<Result>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    const url = `${api}/bot${token}/${method}?${query}`;
    const answer = await ask({ url, timeoutMs: waitMs + ANSWER_MS, signal });
    if ("failure" in answer) return { ...answer, status: null, retryAfterMs: null, movedTo: null };
    const { ok, result } = membersOf(answer.json);
    const found = ok === true && answer.status === 200 ? read(result) : null;
    return found === null ? faultOf(answer) : { result: found };
  }

  return {
    /**
     * Waits for updates.
     * @param offset first number wanted: earlier ones are confirmed, and never sent again
     * @param waitS seconds to wait if there are none
     */
    updates: (offset: number | null, waitS: number): Promise<Answered<Update[]>> =>
      call(
        "getUpdates",
        {
          ...(offset !== null && { offset }),
          timeout: waitS,
          limit: UPDATES_MAX,
          allowed_updates: JSON.stringify(UPDATE_KINDS),
        },
        readUpdates,
        waitS * 1000,
      ),

    me: (): Promise<Answered<string>> =>
      call("getMe", {}, (me) => {
        const { username } = membersOf(me);
        return typeof username === "string" ? username : null;
      }),

    chat: ({ id }: Pick<Chat, "id">): Promise<Answered<FullChat>> =>
      call("getChat", { chat_id: id }, readChat),

    memberCount: ({ id }: Pick<Chat, "id">): Promise<Answered<number>> =>
      call("getChatMemberCount", { chat_id: id }, (count) =>
        typeof count === "number" && Number.isSafeInteger(count) ? count : null,
      ),
  };
}

function faultOf({ status, json, retryAfterMs }: Exclude<ApiAnswer, { failure: UserMessage }>) {
  const { ok, description, parameters } = membersOf(json);
  const { retry_after: wait, migrate_to_chat_id: moved } = membersOf(parameters);
  return {
    failure: ok === false ? refusal(status, description) : message("botAnswerWrong"),
    status,
    retryAfterMs: waitOf(wait) ?? retryAfterMs,
    movedTo: Number.isSafeInteger(moved) ? String(moved) : null,
  };
}

function refusal(status: number, description: unknown): UserMessage {
  // The token is part of the path, so a malformed one is answered 404.
  if (status === 401 || status === 404) return message("botTokenWrong");
  if (status !== 409) return refused(status, description);
  const isWebhook = /webhook/i.test(String(description));
  return message(isWebhook ? "botHasWebhook" : "botPolledElsewhere");
}

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
  /** How many reactions a message has by now, of all kinds. */
  reactions: ReactionCount | null;
}

/** Null if it is not a list of updates. */
function readUpdates(given: unknown): Update[] | null {
  if (!Array.isArray(given)) return null;
  const updates: Update[] = [];
  for (const one of given) {
    const update = asObject(one);
    const number = update?.["update_id"];
    if (update === null || !isWhole(number)) return null;
    const { channel_post: fresh, edited_channel_post: edited, my_chat_member: member } = update;
    const { message_reaction_count: reactions } = update;
    updates.push({
      update_id: number,
      message: readMessage(fresh ?? edited),
      isEdit: fresh === undefined,
      membership: readMembership(member),
      reactions: readReactions(reactions),
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

function readReactions(given: unknown): ReactionCount | null {
  const { chat: place, message_id: messageId, reactions } = membersOf(given);
  const chat = readChat(place);
  if (chat === null || !isWhole(messageId) || !Array.isArray(reactions)) return null;
  const counts = reactions.map((one) => membersOf(one)["total_count"]);
  if (!counts.every(isWhole)) return null;
  return { chat: chat.id, messageId, count: counts.reduce((sum, count) => sum + count, 0) };
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
