import { message, type Message as Said } from "../../../values/messages/messages.ts";
import type { ApiAnswer, AskApi } from "../ask-api.ts";
import type { BotAccess } from "../bots.ts";
import { type Chat, type FullChat, readChat, readUpdates, type Update } from "./telegram-shapes.ts";

export interface TelegramFault {
  failure: Said;
  /** The answer's status; 0 where there was none. */
  status: number;
  /** The API asks not to be asked for so long. */
  retryAfterMs: number | null;
  /** The group became a supergroup, which has another number. */
  movedTo: string | null;
}

export type Answered<Result> = { result: Result } | TelegramFault;

export type TelegramApi = ReturnType<typeof createTelegramApi>;

const UPDATE_KINDS = ["channel_post", "edited_channel_post", "my_chat_member"];
/** Of the 100 that the API would give: with the longest posts an answer stays far below the largest taken. */
const UPDATES_MAX = 20;
const ANSWER_MS = 30_000;

/** The methods of Telegram's Bot API 10 that a source needs. */
export function createTelegramApi(
  { api, token }: Pick<BotAccess, "api" | "token">,
  ask: AskApi,
  signal: AbortSignal,
) {
  async function call<Result>(
    method: string,
    parameters: Record<string, string | number>,
    read: (result: unknown) => Result | null,
    waitMs = 0,
  ): Promise<Answered<Result>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    const url = `${api}/bot${token}/${method}?${query}`;
    const answer = await ask({ url, timeoutMs: waitMs + ANSWER_MS, signal });
    if ("failure" in answer) return { ...answer, status: 0, retryAfterMs: null, movedTo: null };
    const { ok, result } = (answer.json ?? {}) as { ok?: unknown; result?: unknown };
    const found = ok === true && answer.status === 200 ? read(result) : null;
    return found === null ? faultOf(answer) : { result: found };
  }

  return {
    /**
     * Waits for updates.
     * @param offset the first number that is wanted: those before it count as taken, and are given never again
     */
    updates: (offset: number | null, waitS: number): Promise<Answered<Update[]>> =>
      call(
        "getUpdates",
        {
          ...(offset !== null && { offset }),
          ...{ timeout: waitS, limit: UPDATES_MAX, allowed_updates: JSON.stringify(UPDATE_KINDS) },
        },
        readUpdates,
        waitS * 1000,
      ),

    /** The bot's handle, without `@`. */
    me: (): Promise<Answered<string>> =>
      call("getMe", {}, (me) => {
        const { username } = (me ?? {}) as { username?: unknown };
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

const DESCRIPTION_LENGTH_MAX = 200;

function faultOf({ status, json, retryAfterMs }: Exclude<ApiAnswer, { failure: Said }>) {
  const answer = (json ?? {}) as {
    ok?: unknown;
    description?: unknown;
    parameters?: { retry_after?: unknown; migrate_to_chat_id?: unknown };
  };
  const { retry_after: wait, migrate_to_chat_id: moved } = answer.parameters ?? {};
  const description = String(answer.description ?? "").slice(0, DESCRIPTION_LENGTH_MAX);
  return {
    failure: answer.ok === false ? refusal(status, description) : message("botAnswerWrong"),
    status,
    retryAfterMs: typeof wait === "number" && wait >= 0 ? wait * 1000 : retryAfterMs,
    movedTo: Number.isSafeInteger(moved) ? String(moved) : null,
  };
}

function refusal(status: number, description: string): Said {
  // A text that is no token is a path that is not there.
  if (status === 401 || status === 404) return message("botTokenWrong");
  if (status !== 409) return message("botRefused", { status, description });
  return message(/webhook/i.test(description) ? "botHasWebhook" : "botPolledElsewhere");
}
