import type { Message as Said } from "../../../values/messages/messages.ts";
import type { Day } from "../../../values/moscow-time.ts";
import type { Fields } from "../../imports/source-row.ts";
import type { ReasonGroup } from "../../imports/tally.ts";
import type { Batch } from "../apply-batch.ts";
import type { SourceChat } from "../source-chats.store.ts";
import type { SourcePosition } from "../sources.table.ts";
import type { TelegramApi, TelegramFault, Update } from "./telegram-api.ts";
import {
  type AlbumHead,
  type Chat,
  isPost,
  type Message,
  toAlbumRow,
  toChannelRow,
  toPostRow,
} from "./telegram-posts.ts";

/** What a run of a Telegram source needs. */
export interface TelegramTools {
  api: TelegramApi;
  /** Writes a batch with the chats that changed and the number of the next update. */
  apply(batch: Batch, chats: readonly SourceChat[], position: SourcePosition): Promise<Applied>;
  chats(): Promise<SourceChat[]>;
  /** The post of an album that is stored, if its first message came in an earlier batch. */
  albumHead(channelMsgrId: string, messageId: number, album: string): Promise<AlbumHead | null>;
  /** The Moscow day whose numbers are due: today from 23:50 on, else yesterday. */
  cardDay(): Day;
  isStopping(): boolean;
}

/** Reasons of rows that were left out; null where another process has the source by now. */
type Applied = ReasonGroup[] | null;

export type TelegramOutcome =
  | { position: SourcePosition; rows: number; rejects: ReasonGroup[] }
  | { failure: Said; retryAfterMs: number | null };

/** Cards that are asked for in one run, so that posts are read in between. */
const CARDS_MAX = 50;

/** Statuses of a bot that is told of a channel's posts. */
const READING = ["administrator", "creator"];

/**
 * Reads updates until there are none, each batch committed with the number of the next, and then the
 * cards that are due (sources, section 3).
 */
export async function runTelegram(
  position: SourcePosition,
  tools: TelegramTools,
): Promise<TelegramOutcome> {
  let at = position;
  let rows = 0;
  const rejects: ReasonGroup[] = [];
  while (!tools.isStopping()) {
    const answer = await tools.api.updates(at.offset ?? null);
    if ("failure" in answer) return answer;
    const last = answer.result.at(-1);
    if (last === undefined) break;
    const read = await readUpdates(answer.result, tools);
    if ("failure" in read) return read;
    at = { ...at, offset: last.update_id + 1 };
    const applied = await tools.apply(read.batch, read.chats, at);
    if (applied === null) break;
    rejects.push(...applied);
    rows += read.batch.posts.length;
  }
  const cards = await refreshCards(at, tools);
  return cards ?? { position: at, rows, rejects };
}

type Read = { batch: Batch; chats: SourceChat[] } | TelegramFault;

async function readUpdates(updates: readonly Update[], tools: TelegramTools): Promise<Read> {
  const known = new Map((await tools.chats()).map((chat) => [chat.msgrId, chat]));
  const changed = new Map<string, SourceChat>();
  const channels: Fields[] = [];
  const posts: Fields[] = [];
  /** Albums of this batch, by channel and album. */
  const heads = new Map<string, AlbumHead>();

  /** Has the channel in the catalog before its first post. */
  async function seen(chat: Chat, isRead: boolean): Promise<TelegramFault | null> {
    const msgrId = String(chat.id);
    const before = changed.get(msgrId) ?? known.get(msgrId);
    if (before !== undefined && before.isRead === isRead) return null;
    changed.set(msgrId, { msgrId, isRead, cardDay: before?.cardDay ?? null });
    if (!isRead || before !== undefined) return null;
    const card = await readCard(chat, tools.api);
    if ("failure" in card) return card;
    channels.push(card.row);
    return null;
  }

  async function addPost(message: Message): Promise<void> {
    const row = toPostRow(message);
    const { media_group_id: album } = message;
    if (album === undefined) {
      posts.push(row);
      return;
    }
    const channel = String(message.chat.id);
    const key = `${channel} ${album}`;
    const head = heads.get(key) ?? (await tools.albumHead(channel, message.message_id, album));
    const merged = toAlbumRow(row, head);
    posts.push(merged);
    heads.set(key, {
      msgr_post_id: String(merged["msgr_post_id"]),
      text: String(merged["text"]),
      media: merged["media"] as string[],
    });
  }

  for (const { channel_post, edited_channel_post, my_chat_member } of updates) {
    if (my_chat_member !== undefined) {
      const { chat, new_chat_member } = my_chat_member;
      const fault = await seen(chat, READING.includes(new_chat_member.status));
      if (fault !== null) return fault;
    }
    const message = channel_post ?? edited_channel_post;
    if (message === undefined) continue;
    const fault = await seen(message.chat, true);
    if (fault !== null) return fault;
    if (isPost(message)) await addPost(message);
    else if (message["new_chat_title"] !== undefined) channels.push(toChannelRow(message.chat));
  }
  return { batch: { channels, posts, stats: [] }, chats: [...changed.values()] };
}

/** A channel as its card has it, with the subscribers of this moment. */
async function readCard(
  { id }: Pick<Chat, "id">,
  api: TelegramApi,
): Promise<{ row: Fields; subscribers: number } | TelegramFault> {
  const chat = await api.chat(String(id));
  if ("failure" in chat) return chat;
  const count = await api.memberCount(String(id));
  if ("failure" in count) return count;
  const { description } = chat.result;
  const subscribers = count.result;
  return { row: toChannelRow(chat.result, { description, subscribers }), subscribers };
}

/** Cards and subscribers of the day, of channels whose last are of an earlier day. */
async function refreshCards(
  position: SourcePosition,
  tools: TelegramTools,
): Promise<TelegramFault | null> {
  const day = tools.cardDay();
  const due = (await tools.chats()).filter(
    ({ isRead, cardDay }) => isRead && (cardDay ?? 0) < day,
  );
  for (const chat of due.slice(0, CARDS_MAX)) {
    if (tools.isStopping()) return null;
    const card = await readCard({ id: Number(chat.msgrId) }, tools.api);
    if ("failure" in card) return card;
    const stats = [{ channel_msgr_id: chat.msgrId, day, subscribers: card.subscribers }];
    const batch = { channels: [card.row], posts: [], stats };
    if ((await tools.apply(batch, [{ ...chat, cardDay: day }], position)) === null) return null;
  }
  return null;
}
