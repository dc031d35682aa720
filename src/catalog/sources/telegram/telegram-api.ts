import { type Message as Said, message } from "../../../values/messages/messages.ts";
import type { ApiAnswer } from "../ask-api.ts";
import type { Chat, Message } from "./telegram-posts.ts";

/** What is read of the API's `Update`. */
export interface Update {
  update_id: number;
  channel_post?: Message;
  edited_channel_post?: Message;
  my_chat_member?: { chat: Chat; new_chat_member: { status: string } };
}

/** Of `getChat`. */
export interface FullChat extends Chat {
  description?: string;
}

export type TelegramFault = {
  failure: Said;
  /** The API asks not to be asked for so long. */
  retryAfterMs: number | null;
  /** The group became a supergroup, which has another number. */
  movedTo: number | null;
};

export type TelegramApi = ReturnType<typeof createTelegramApi>;

const UPDATE_KINDS = ["channel_post", "edited_channel_post", "my_chat_member"];
export const UPDATES_MAX = 100;
/** Within the time after which a run is due again. */
const POLL_S = 45;
const ANSWER_MS = 30_000;

/**
 * Methods of Telegram's Bot API 10 that sources need.
 * @param ask one GET, answered by JSON
 */
export function createTelegramApi(
  api: string,
  token: string,
  ask: (url: string, timeoutMs: number) => Promise<ApiAnswer>,
) {
  async function call<Result>(
    method: string,
    parameters: Record<string, string | number>,
    timeoutMs = ANSWER_MS,
  ): Promise<{ result: Result } | TelegramFault> {
    const query = new URLSearchParams(
      Object.entries(parameters).map(([name, value]) => [name, String(value)]),
    );
    const answer = await ask(`${api}/bot${token}/${method}?${query}`, timeoutMs);
    if ("failure" in answer) return { ...answer, retryAfterMs: null, movedTo: null };
    const { ok, result, description, parameters: more } = readAnswer(answer.json);
    if (ok && answer.status === 200) return { result: result as Result };
    return {
      failure: failureOf(answer.status, description),
      retryAfterMs: more.retry_after === undefined ? null : more.retry_after * 1000,
      movedTo: more.migrate_to_chat_id ?? null,
    };
  }

  return {
    /** Waits for updates from a number on: they count as taken once a later one is asked for. */
    updates: (offset: number | null) =>
      call<Update[]>(
        "getUpdates",
        {
          ...(offset !== null && { offset }),
          ...{ timeout: POLL_S, limit: UPDATES_MAX, allowed_updates: JSON.stringify(UPDATE_KINDS) },
        },
        (POLL_S + 15) * 1000,
      ),
    me: () => call<{ username?: string }>("getMe", {}),
    chat: (id: string) => call<FullChat>("getChat", { chat_id: id }),
    memberCount: (id: string) => call<number>("getChatMemberCount", { chat_id: id }),
  };
}

interface Answer {
  ok: boolean;
  result: unknown;
  description: string;
  parameters: { retry_after?: number; migrate_to_chat_id?: number };
}

function readAnswer(json: unknown): Answer {
  const { ok, result, description, parameters } = (json ?? {}) as Partial<Answer>;
  return {
    ok: ok === true,
    result,
    description: typeof description === "string" ? description : "",
    parameters: parameters ?? {},
  };
}

function failureOf(status: number, description: string): Said {
  // The API answers 404 for a token that is none.
  if (status === 401 || status === 404) return message("botTokenWrong");
  if (status === 409) return message("botPolledElsewhere");
  return message("botRefused", { status, description });
}
