import type { Chat, ChatFullInfo, Message, Update, User } from "@grammyjs/types";
import type { FakeAnswer } from "./fake-ports.ts";

/**
 * Telegram as one bot sees it, in the types of Bot API 10: channels, their posts, and updates about them,
 * each kept until it is confirmed, for at most a day.
 */

export const TELEGRAM_TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const DAY_MS = 24 * 60 * 60 * 1000;

/** An answer that replaces the next one to a method. */
type Fault =
  | { status: number; description: string; retryAfter?: number; migrateTo?: number }
  | { status: number; text: string }
  | { fault: "timeout" | "broken" | "unreachable" | "too_large" };

interface FakeChannel {
  chat: Chat.ChannelChat | Chat.GroupChat | Chat.SupergroupChat;
  description?: string;
  subscribers: number;
  isMember: boolean;
  migratedTo?: number;
}

/** A message without its number, chat and dates. */
type Content = Omit<Partial<Message>, "chat" | "message_id" | "date" | "edit_date">;

export type FakeTelegram = ReturnType<typeof createFakeTelegram>;

const BOT: User = {
  ...{ id: 110201543, is_bot: true, first_name: "Канал", username: "kanalog_bot" },
};
const OWNER: User = { id: 77, is_bot: false, first_name: "Ада", language_code: "ru" };

/** @param nowMs epoch milliseconds */
export function createFakeTelegram(nowMs: () => number) {
  const channels = new Map<number, FakeChannel>();
  const messages = new Map<string, Message>();
  const faults = new Map<string, Fault[]>();
  const calls: { method: string; parameters: URLSearchParams }[] = [];
  let updates: { at: number; update: Update }[] = [];
  let updateId = 874_119_000;
  let messageId = 0;
  let allowed: readonly string[] | null = null;
  /** Called when an update is added. */
  let wake = (): void => {};

  const seconds = (): number => Math.floor(nowMs() / 1000);

  function tell(
    kind: "channel_post" | "edited_channel_post" | "my_chat_member" | "message_reaction_count",
    content: object,
  ): void {
    if (allowed !== null && !allowed.includes(kind)) return;
    updateId += 1;
    updates.push({ at: nowMs(), update: { update_id: updateId, [kind]: content } as Update });
    wake();
  }

  function channelOf(id: number): FakeChannel {
    const channel = channels.get(id);
    if (channel === undefined) throw new Error(`there is no chat ${id}`);
    return channel;
  }

  function membership(id: number, isMember: boolean): void {
    const channel = channelOf(id);
    const place = (is: boolean): object =>
      is
        ? {
            ...{ user: BOT, status: "administrator", can_be_edited: false, is_anonymous: false },
            ...{ can_manage_chat: true, can_post_messages: true, can_edit_messages: false },
          }
        : { user: BOT, status: channel.chat.type === "channel" ? "left" : "kicked", until_date: 0 };
    tell("my_chat_member", {
      ...{ chat: channel.chat, from: OWNER, date: seconds() },
      ...{ old_chat_member: place(channel.isMember), new_chat_member: place(isMember) },
    });
    channel.isMember = isMember;
  }

  function say(id: number, content: Content, number?: number): number {
    const { chat, isMember } = channelOf(id);
    messageId = number ?? messageId + 1;
    const message = {
      ...{ message_id: messageId, sender_chat: chat, chat: { ...chat }, date: seconds() },
      ...content,
    } as Message;
    messages.set(`${id} ${messageId}`, message);
    if (isMember) tell("channel_post", message);
    return messageId;
  }

  function fail(description: string, status = 400, parameters?: object): FakeAnswer {
    const body = { ok: false, error_code: status, description, ...(parameters && { parameters }) };
    return { status, body: JSON.stringify(body) };
  }

  const succeed = (result: unknown): FakeAnswer => ({
    ...{ status: 200, body: JSON.stringify({ ok: true, result }) },
  });

  /** The channel of a request, or the error that Telegram answers. */
  function channelFor(id: number): FakeChannel | FakeAnswer {
    const channel = channels.get(id);
    if (channel === undefined) return fail("Bad Request: chat not found");
    if (channel.migratedTo !== undefined) {
      return fail("Bad Request: group chat was upgraded to a supergroup chat", 400, {
        migrate_to_chat_id: channel.migratedTo,
      });
    }
    return channel.isMember
      ? channel
      : fail("Forbidden: bot is not a member of the channel chat", 403);
  }

  function waiting(parameters: URLSearchParams): Update[] {
    const offset = Number(parameters.get("offset") ?? 0);
    const kinds = parameters.get("allowed_updates");
    if (kinds !== null) allowed = JSON.parse(kinds) as string[];
    updates = updates.filter(
      ({ at, update }) => update.update_id >= offset && nowMs() - at < DAY_MS,
    );
    return updates.slice(0, Number(parameters.get("limit") ?? 100)).map(({ update }) => update);
  }

  function answer(method: string, parameters: URLSearchParams): FakeAnswer {
    const [fault] = faults.get(method)?.splice(0, 1) ?? [];
    if (fault !== undefined) {
      if ("fault" in fault) return fault;
      if ("text" in fault) return { status: fault.status, body: fault.text };
      const { retryAfter, migrateTo, description, status } = fault;
      return fail(description, status, {
        ...(retryAfter !== undefined && { retry_after: retryAfter }),
        ...(migrateTo !== undefined && { migrate_to_chat_id: migrateTo }),
      });
    }
    const id = Number(parameters.get("chat_id"));
    const channel = method.startsWith("getChat") ? channelFor(id) : null;
    if (channel !== null && !("chat" in channel)) return channel;
    switch (method) {
      case "getMe":
        return succeed({ ...BOT, can_join_groups: true, can_read_all_group_messages: false });
      case "getUpdates":
        return succeed(waiting(parameters));
      case "getChat":
        return succeed(channel && fullInfo(channel));
      case "getChatMemberCount":
        return succeed(channel?.subscribers);
      default:
        return fail("Not Found", 404);
    }
  }

  return {
    calls,
    channels,
    /** Answers that will replace the next ones, by method. */
    faults,
    /** All messages, by chat and number. */
    messages,

    /** Adds a channel with the bot as administrator. @returns the channel's id */
    addChannel({
      id = -1001234567890,
      title = "Утренние новости",
      username = "utro" as string | undefined,
      subscribers = 1200,
      description = "О городе" as string | undefined,
      type = "channel" as "channel" | "group" | "supergroup",
    } = {}): number {
      const chat = { id, title, type, ...(username !== undefined && { username }) };
      channels.set(id, {
        chat: chat as FakeChannel["chat"],
        ...{ subscribers, isMember: false },
        ...(description !== undefined && { description }),
      });
      membership(id, true);
      return id;
    },

    membership,
    say,

    /** @returns id of the post */
    post: (id: number, text: string): number => say(id, { text }),

    /** Tells how many reactions a message has, by emoji. */
    react(id: number, number: number, counts: Readonly<Record<string, number>>): void {
      const reactions = Object.entries(counts).map(([emoji, total_count]) => ({
        ...{ type: { type: "emoji", emoji }, total_count },
      }));
      const { chat } = channelOf(id);
      tell("message_reaction_count", { chat, message_id: number, date: seconds(), reactions });
    },

    /** Adds a post with several photos. @returns ids of its messages */
    album(id: number, captions: readonly string[], media_group_id: string): number[] {
      return captions.map((caption) =>
        say(id, { ...PHOTO, media_group_id, ...(caption && { caption }) }),
      );
    },

    edit(id: number, number: number, content: Content): void {
      const message = messages.get(`${id} ${number}`);
      if (message === undefined) throw new Error(`there is no message ${number}`);
      const edited = {
        ...message,
        chat: { ...channelOf(id).chat },
        ...content,
        edit_date: seconds(),
      };
      messages.set(`${id} ${number}`, edited as Message);
      if (channelOf(id).isMember) tell("edited_channel_post", edited);
    },

    /** Changes a channel's title or handle; a service message announces a new title. */
    rename(id: number, { title, username }: { title?: string; username?: string | null }): void {
      const { chat } = channelOf(id) as { chat: { title: string; username?: string } };
      if (username === null) delete chat.username;
      else if (username !== undefined) chat.username = username;
      if (title === undefined) return;
      chat.title = title;
      say(id, { new_chat_title: title });
    },

    /** Converts a group to a supergroup. */
    migrate(from: number, to: number): void {
      const group = channelOf(from);
      group.migratedTo = to;
      const { migratedTo: _, ...copy } = group;
      channels.set(to, {
        ...copy,
        chat: { ...group.chat, id: to, type: "supergroup" } as Chat.SupergroupChat,
      });
    },

    tell,

    /** Sets the number of the next update. */
    renumber(next: number): void {
      updateId = next - 1;
    },

    /** Number of updates that were not confirmed yet. */
    waiting: (): number => updates.length,

    /** Replaces the next answers to a method. */
    fail(method: string, ...more: Fault[]): void {
      faults.set(method, [...(faults.get(method) ?? []), ...more]);
    },

    /** Answers a request at once, without waiting for updates; for the port's `answerGet`. */
    answerGet(url: string): FakeAnswer {
      const { pathname, searchParams } = new URL(url);
      const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(pathname) ?? [];
      calls.push({ method, parameters: searchParams });
      if (token === undefined) return { status: 404, body: "<html>404 Not Found</html>" };
      if (token !== TELEGRAM_TOKEN) return fail("Unauthorized", 401);
      return answer(method, searchParams);
    },

    /** Resolves when there is an update, or after the given time. */
    async waited(maxMs: number): Promise<void> {
      if (updates.length > 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, maxMs);
      wake = resolve;
      await promise;
      clearTimeout(timer);
    },
  };
}

const SIZE = { file_size: 1200, width: 90, height: 67 };
export const PHOTO: Content = {
  photo: [
    { ...{ file_id: "AgACAgIAAx0CT", file_unique_id: "AQADr78xG" }, ...SIZE },
    { ...{ file_id: "AgACAgIAAx0CU", file_unique_id: "AQADr78xH" }, ...SIZE, width: 800 },
  ],
};

function fullInfo({ chat, description }: FakeChannel): Partial<ChatFullInfo> {
  const photo = { small_file_id: "AQADAgAT1", small_file_unique_id: "AQADuac1" };
  return {
    ...chat,
    ...(description !== undefined && { description }),
    ...(chat.username !== undefined && { active_usernames: [chat.username] }),
    photo: { ...photo, big_file_id: "AQADAgAT2", big_file_unique_id: "AQADuac2" },
    ...{ accent_color_id: 3, max_reaction_count: 11, invite_link: "https://t.me/+AAAA" },
  } as Partial<ChatFullInfo>;
}
