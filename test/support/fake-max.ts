import { parseExact, stringifyExact } from "../../src/catalog/imports/reading/json-rows.ts";

/**
 * The parts of MAX's Bot API that sources use, according to its published description of July 2026
 * (0.0.32). `GET /chats` is not served any more; updates report the channels that the bot is in.
 */
export interface FakeMax {
  token: string;
  /** Channels by id, as digits. */
  channels: Map<string, FakeChannel>;
  /** Requests so far, as `GET /messages?chat_id=…`. */
  requests: string[];
  /** Addresses to which updates are pushed, with their secrets. */
  subscriptions: { url: string; secret: string }[];
  /** Updates to be pushed, oldest first; the test delivers them. */
  pushes: { url: string; secret: string; body: string }[];
  /** Returns an answer that replaces MAX's, or undefined. */
  disturb: (path: string) => Response | undefined;
  /** Whether `from` includes messages of its own millisecond; the description does not say. */
  isFromInclusive: boolean;
  addChannel(channel: NewChannel): FakeChannel;
  /** Adds the bot to a channel again. */
  addBot(id: bigint): void;
  removeBot(id: bigint): void;
  /** @returns the post's `mid` */
  post(id: bigint, text: string, more?: Partial<FakePost>): string;
  edit(mid: string, text: string): void;
  remove(mid: string): void;
  /** Adds any other update, such as a person's message. */
  tell(update: object): void;
  /** Answers a request: `GET`, `DELETE`, or `POST` with JSON. */
  answer(request: Request): Promise<Response>;
}

interface NewChannel {
  id: bigint;
  title: string;
  participants?: number;
  link?: string | null;
  description?: string | null;
  /** Permissions of the bot in it. */
  permissions?: string[] | null;
  type?: string;
}

export interface FakeChannel extends Required<NewChannel> {
  icon: string | null;
  hasBot: boolean;
  isAdmin: boolean;
  /** Posts by `mid`. */
  posts: Map<string, FakePost>;
}

export interface FakePost {
  mid: string;
  /** Epoch milliseconds. */
  at: number;
  text: string | null;
  views: number;
  attachments: object[];
  link: object | null;
  /** Converts the message to a form that differs from the description. */
  form?: (message: object) => unknown;
}

const RIGHTS = ["read_all_messages", "write", "edit", "delete"];
const MASK = 2n ** 64n;

/** A message's `mid`: ids of the chat and of the message, sixteen hexadecimal digits each. */
export function midOf(chat: bigint, sequence: bigint): string {
  const hexadecimal = (value: bigint) => ((value + MASK) % MASK).toString(16).padStart(16, "0");
  return `mid.${hexadecimal(chat)}${hexadecimal(sequence)}`;
}

/** The id that the catalog stores for a post. */
export function postIdOf(mid: string): string {
  return String(BigInt(`0x${mid.slice(-16)}`));
}

export function createFakeMax(nowMs: () => number, token = "f9LHodD0cOK_max-token"): FakeMax {
  const updates: object[] = [];
  let posted = 0n;

  const max: FakeMax = {
    token,
    channels: new Map(),
    requests: [],
    subscriptions: [],
    pushes: [],
    disturb: () => undefined,
    isFromInclusive: true,

    addChannel(channel) {
      const made: FakeChannel = {
        ...{ participants: 10, link: null, description: null, type: "channel", icon: null },
        ...{ permissions: RIGHTS, hasBot: false, isAdmin: true, posts: new Map() },
        ...channel,
      };
      max.channels.set(String(channel.id), made);
      max.addBot(channel.id);
      return made;
    },
    addBot(id) {
      const channel = one(id);
      channel.hasBot = true;
      max.tell({ ...updateOf("bot_added", id), is_channel: channel.type === "channel" });
    },
    removeBot(id) {
      const channel = one(id);
      channel.hasBot = false;
      max.tell({ ...updateOf("bot_removed", id), is_channel: channel.type === "channel" });
    },
    post(id, text, more = {}) {
      const at = more.at ?? nowMs();
      posted += 1n;
      const mid = midOf(id, BigInt(at) * 65_536n + posted);
      const post = { mid, at, text, views: 0, attachments: [], link: null, ...more };
      one(id).posts.set(mid, post);
      tellMessage("message_created", id, post);
      return mid;
    },
    edit(mid, text) {
      const [channel, post] = find(mid);
      post.text = text;
      tellMessage("message_edited", channel.id, post);
    },
    remove(mid) {
      const [channel] = find(mid);
      channel.posts.delete(mid);
      max.tell({
        ...{ update_type: "message_removed", timestamp: nowMs() },
        ...{ message_id: mid, chat_id: channel.id, user_id: 1 },
      });
    },
    tell(update) {
      if (max.subscriptions.length === 0) updates.push(update);
      for (const to of max.subscriptions) {
        max.pushes.push({ ...to, body: stringifyExact(update) });
      }
    },
    async answer(request) {
      const { pathname, search, searchParams } = new URL(request.url);
      const path = `${request.method} ${pathname}${search}`;
      max.requests.push(path);
      const disturbed = max.disturb(path);
      if (disturbed !== undefined) return disturbed;
      if (request.headers.get("authorization") !== max.token) {
        return refuse(401, "verify.token", "Invalid access_token");
      }
      const [, first = "", chat = "", , self = ""] = pathname.split("/");
      if (path === "GET /me") return json(ME);
      if (first === "subscriptions") return subscriptions(request, searchParams);
      if (request.method !== "GET") return refuse(405, "method.not.allowed", "Method not allowed");
      if (first === "updates") return updatesSince(searchParams);
      if (first === "messages") return messages(searchParams);
      if (first !== "chats" || chat === "") return refuse(404, "not.found", `Unknown ${pathname}`);
      const channel = max.channels.get(chat);
      if (channel === undefined || !channel.hasBot) {
        return refuse(404, "chat.not.found", `Chat ${chat} not found`);
      }
      return json(self === "me" ? memberOf(channel) : chatOf(channel));
    },
  };
  return max;

  function one(id: bigint): FakeChannel {
    const channel = max.channels.get(String(id));
    if (channel === undefined) throw new Error(`there is no channel ${id}`);
    return channel;
  }

  function find(mid: string): [FakeChannel, FakePost] {
    for (const channel of max.channels.values()) {
      const post = channel.posts.get(mid);
      if (post !== undefined) return [channel, post];
    }
    throw new Error(`there is no post ${mid}`);
  }

  function updateOf(type: string, id: bigint): object {
    return { update_type: type, timestamp: nowMs(), chat_id: id, user: USER };
  }

  function tellMessage(type: string, id: bigint, post: FakePost): void {
    max.tell({ update_type: type, timestamp: nowMs(), message: messageOf(one(id), post) });
  }

  /** A marker is the number of the next update, beyond 2^53. */
  function updatesSince(query: URLSearchParams): Response {
    if (max.subscriptions.length > 0) {
      return refuse(405, "method.not.allowed", "Bot has a webhook subscription");
    }
    const marker = query.get("marker");
    const from =
      marker === null ? Math.max(updates.length - 1, 0) : Number(BigInt(marker) - MARKERS);
    const limit = Number(query.get("limit") ?? 100);
    const some = updates.slice(from, from + limit);
    return json({ updates: some, marker: MARKERS + BigInt(from + some.length) });
  }

  function messages(query: URLSearchParams): Response {
    const chat = query.get("chat_id") ?? "";
    const channel = max.channels.get(chat);
    if (channel === undefined) return refuse(404, "chat.not.found", `Chat ${chat} not found`);
    if (!channel.hasBot || !channel.isAdmin) {
      return refuse(403, "chat.denied", "Bot has no access to the chat");
    }
    if (channel.permissions?.includes("read_all_messages") === false) return json({ messages: [] });
    const before = Number(query.get("from") ?? Number.POSITIVE_INFINITY);
    const since = Number(query.get("to") ?? 0);
    const count = Math.min(Number(query.get("count") ?? 50), 100);
    const found = [...channel.posts.values()]
      .filter(({ at }) => at >= since && (max.isFromInclusive ? at <= before : at < before))
      .toSorted((a, b) => b.at - a.at || (a.mid < b.mid ? 1 : -1))
      .slice(0, count);
    return json({ messages: found.map((post) => messageOf(channel, post)) });
  }

  async function subscriptions(request: Request, query: URLSearchParams): Promise<Response> {
    if (request.method === "POST") {
      const { url, secret } = parseExact(await request.text()) as { url: string; secret: string };
      if (!/^[a-zA-Z0-9_-]{5,256}$/.test(secret)) return json({ success: false });
      max.subscriptions = [...max.subscriptions.filter((one) => one.url !== url), { url, secret }];
      return json({ success: true });
    }
    if (request.method === "DELETE") {
      max.subscriptions = max.subscriptions.filter(({ url }) => url !== query.get("url"));
      return json({ success: true });
    }
    const types = ["message_created"];
    return json({
      subscriptions: max.subscriptions.map(({ url }) => ({
        ...{ url, time: nowMs(), update_types: types },
      })),
    });
  }

  function chatOf(channel: FakeChannel): object {
    const { id, type, title, icon, participants, link, description, posts } = channel;
    return {
      ...{ chat_id: id, type, status: "active", title, description },
      icon: icon === null ? null : { url: icon },
      ...{ last_event_time: nowMs(), participants_count: participants, owner_id: 54_321 },
      ...{ is_public: link !== null, link, messages_count: posts.size, pinned_message: null },
    };
  }
}

const MARKERS = 9_007_199_254_741_000n;
const USER = {
  ...{ user_id: 54_321, first_name: "Ада", last_name: "", name: "Ада", username: null },
  ...{ is_bot: false, last_activity_time: 1_739_184_000_000 },
};
const ME = {
  ...USER,
  user_id: 12_345,
  first_name: "Каталог",
  username: "catalog_bot",
  is_bot: true,
};

function memberOf({ isAdmin, permissions }: FakeChannel): object {
  return {
    ...{ ...ME, last_access_time: 0, is_owner: false, is_admin: isAdmin },
    ...{ join_time: 0, permissions: isAdmin ? permissions : null },
  };
}

function messageOf(channel: FakeChannel, post: FakePost): unknown {
  const { mid, at, text, views, attachments, link, form = (message) => message } = post;
  return form({
    recipient: { chat_id: channel.id, chat_type: channel.type, user_id: null },
    timestamp: at,
    body: { mid, seq: BigInt(postIdOf(mid)), text, attachments },
    ...(link !== null && { link }),
    stat: { views },
    ...(channel.link !== null && { url: `${channel.link}/${mid.slice(-11)}` }),
  });
}

function json(value: object, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(stringifyExact(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** An error in MAX's form. */
export function refuse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return json({ code, message }, status, headers);
}
