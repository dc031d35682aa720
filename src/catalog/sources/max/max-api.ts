import { isObject, membersOf } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import type { BotAccess } from "../bots/bot-messenger.ts";
import { type BotFault, type CallApi, ONCE, refused, waitOf } from "../bots/call-api.ts";
import type { Chat, Membership, Message } from "./max-rows.ts";
import { digitsOf, isChat, isMessage, isTimed, postIdOf } from "./max-rows.ts";
import { UPDATE_TYPES } from "./max-updates.ts";

/** Address of MAX's Bot API, according to its description of July 2026. */
export const MAX_API = "https://platform-api2.max.ru";

/** A page of `GET /messages`, newest first. */
interface MessagePage {
  /** Messages that can be read as posts. */
  messages: Message[];
  /** Times, in epoch milliseconds, of all messages whose time is readable. */
  times: number[];
  count: number;
  /** Whether all of them have a documented form. */
  isUnderstood: boolean;
}

export type MaxApi = ReturnType<typeof createMaxApi>;

/** Messages per request: the API's maximum (sources, section 4). */
export const PAGE_MESSAGES = 100;
const UPDATES_MAX = 1000;

/** Does not pace: for single requests. */
const UNPACED: Pace = { monotonic: () => 0, sleep: async () => {} };

/**
 * The methods of MAX's Bot API that sources need. Plain requests instead of `@maxhub/max-bot-api`, which
 * rounds 64-bit numbers, advances its marker before updates are handled, and connects without checking the
 * address.
 * @param clock paces requests
 */
export function createMaxApi(
  access: Pick<BotAccess, "api" | "token">,
  ask: CallApi,
  signal: AbortSignal,
  clock = UNPACED,
  tryAgain = ONCE,
) {
  const call = createMaxCall(access, ask, signal, clock, tryAgain);
  return {
    me: () => call("/me", (json) => (isObject(json) ? { name: nameOf(json) } : null)),

    /** The bot's channels; the description of 2026 has no such method any more, servers may. */
    chats: () =>
      call(`/chats?count=${PAGE_MESSAGES}`, (json) => {
        const { chats } = membersOf(json);
        if (!Array.isArray(chats)) return null;
        return {
          ids: chats
            .filter(isChat)
            .flatMap(({ type, chat_id }) => (type === "channel" ? (digitsOf(chat_id) ?? []) : [])),
        };
      }),

    /** @param chat its id in digits */
    chat: (chat: string) =>
      call<Chat>(`/chats/${chat}`, (json) =>
        isChat(json) && digitsOf(json.chat_id) === chat ? json : null,
      ),

    membership: (chat: string) =>
      call<Membership>(`/chats/${chat}/members/me`, (json) => (isObject(json) ? json : null)),

    /**
     * A page of a channel's messages, newest first. MAX calls the later end `from` and the earlier one
     * `to`.
     * @param span.before epoch milliseconds; null for now
     */
    messages: (chat: string, { since, before }: { since: number; before: number | null }) => {
      const query = new URLSearchParams({ chat_id: chat, count: String(PAGE_MESSAGES) });
      query.set("to", String(since));
      if (before !== null) query.set("from", String(before));
      return call<MessagePage>(`/messages?${query}`, (json) => {
        const { messages } = membersOf(json);
        return Array.isArray(messages) ? pageOf(messages) : null;
      });
    },

    /**
     * Updates since a marker; without one, MAX returns only the latest update.
     * @param marker from the previous response, in digits
     */
    updates: (marker: string | null) => {
      const query = new URLSearchParams({ limit: String(UPDATES_MAX), timeout: "0" });
      query.set("types", UPDATE_TYPES.join(","));
      if (marker !== null) query.set("marker", marker);
      return call(`/updates?${query}`, (json) => {
        const { updates, marker } = membersOf(json);
        if (!Array.isArray(updates)) return null;
        return { updates: updates as unknown[], marker: digitsOf(marker) };
      });
    },

    subscriptions: () =>
      call("/subscriptions", (json) => {
        const { subscriptions: given } = membersOf(json);
        if (!Array.isArray(given)) return null;
        return { urls: given.flatMap((one) => (isObject(one) ? String(one["url"]) : [])) };
      }),

    subscribe: (url: string, secret: string) =>
      call("/subscriptions", success, {
        method: "POST",
        body: JSON.stringify({ url, update_types: UPDATE_TYPES, secret }),
      }),

    unsubscribe: (url: string) =>
      call(`/subscriptions?${new URLSearchParams({ url })}`, success, { method: "DELETE" }),
  };
}

function success(json: unknown): { success: true } | null {
  return membersOf(json)["success"] === true ? { success: true } : null;
}

function pageOf(given: readonly unknown[]): MessagePage {
  const messages = given.filter(isMessage).filter((one) => postIdOf(one) !== null);
  const timed = given.filter(isTimed);
  const bodiless = timed.filter(({ body }) => body == null);
  return {
    messages,
    count: given.length,
    times: timed.map(({ timestamp }) => timestamp),
    isUnderstood: messages.length + bodiless.length === given.length,
  };
}

function nameOf({ username, first_name, name }: Record<string, unknown>): string {
  const shown = username ?? first_name ?? name;
  return typeof shown === "string" ? shown : "";
}

const ANSWER_MS = 30_000;
/** At most twenty requests a second (sources, section 4). */
const BETWEEN_MS = 50;

const OK = 200;
const UNAUTHORIZED = 401;

interface Pace {
  monotonic(): number;
  sleep(durationMs: number): Promise<void>;
}

interface MaxRequest {
  method?: "POST" | "DELETE";
  body?: string;
}

/** Calls MAX's Bot API, with at least 50 ms between the starts of two calls. */
function createMaxCall(
  { api, token }: Pick<BotAccess, "api" | "token">,
  ask: CallApi,
  signal: AbortSignal,
  clock: Pace,
  tryAgain = ONCE,
) {
  let nextAtMs = 0;

  async function paced(): Promise<void> {
    const waitMs = nextAtMs - clock.monotonic();
    nextAtMs = Math.max(nextAtMs, clock.monotonic()) + BETWEEN_MS;
    if (waitMs > 0) await clock.sleep(waitMs);
  }

  return <Result extends object>(
    path: string,
    read: (json: unknown) => Result | null,
    request: MaxRequest = {},
  ): Promise<Result | BotFault> => tryAgain(() => call(path, read, request));

  async function call<Result>(
    path: string,
    read: (json: unknown) => Result | null,
    request: MaxRequest,
  ): Promise<Result | BotFault> {
    await paced();
    const answer = await ask({
      ...request,
      url: `${api}${path}`,
      headers: { authorization: token },
      timeoutMs: ANSWER_MS,
      signal,
    });
    if ("failure" in answer) return { ...answer, retryAfterMs: null, status: null };
    const { status, json, retryAfterMs } = answer;
    if (status !== OK) {
      const { retry_after: wait, message: description } = membersOf(json);
      const failure =
        status === UNAUTHORIZED ? message("botTokenWrong") : refused(status, description);
      return { failure, retryAfterMs: retryAfterMs ?? waitOf(wait), status };
    }
    // A truncated response, or one in an unknown form, proves nothing about the data.
    const result = read(json);
    if (result !== null) return result;
    return { failure: message("botAnswerWrong"), retryAfterMs: null, status };
  }
}
