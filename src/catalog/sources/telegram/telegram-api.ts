import { membersOf } from "../../../values/json-object.ts";
import { message, type Message as UserMessage } from "../../../values/messages/messages.ts";
import { type BotFault, refused, waitOf } from "../bot-fault.ts";
import type { BotAccess } from "../bot-messenger.ts";
import type { ApiAnswer, CallApi } from "../call-api.ts";
import { ONCE } from "../try-again.ts";
import { type Chat, type FullChat, readChat, readUpdates, type Update } from "./telegram-shapes.ts";

export interface TelegramFault extends BotFault {
  /** New id of a group that became a supergroup; null for any other fault. */
  movedTo: string | null;
}

export type Answered<Result> = { result: Result } | TelegramFault;

export type TelegramApi = ReturnType<typeof createTelegramApi>;

const UPDATE_KINDS = ["channel_post", "edited_channel_post", "my_chat_member"];
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
