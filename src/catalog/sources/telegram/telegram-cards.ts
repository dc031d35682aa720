import { latestDue } from "../../../values/cron-times.ts";
import { dayOf, formatDay } from "../../../values/moscow-time.ts";
import type { Fields } from "../../imports/reading/recognized.ts";
import type { Batch } from "../bots/batch-writer.ts";
import type { SourceChat } from "../sources.table.ts";
import type { Answered, Chat, FullChat, TelegramApi, TelegramFault } from "./telegram-api.ts";
import { toChannelRow } from "./telegram-posts.ts";

/** Cards and subscribers are read daily at this time (sources, section 3). */
const DAILY = "50 23 * * *";
/** How long after that time subscribers still count for that day. */
const OF_THE_DAY_MS = 60 * 60 * 1000;

export interface Card {
  chat: FullChat;
  subscribers: number;
}

export async function readCard(
  api: TelegramApi,
  { id }: Pick<Chat, "id">,
): Promise<Answered<Card>> {
  const chat = await api.chat({ id });
  if ("failure" in chat) return chat;
  const count = await api.memberCount({ id });
  if ("failure" in count) return count;
  return { result: { chat: chat.result, subscribers: count.result } };
}

/** Whether a fault says that the chat no longer exists for the bot. */
export function isGone({ status, movedTo }: TelegramFault): boolean {
  return (status === 400 || status === 403) && movedTo === null;
}

/** Channels whose card has not been read since the last scheduled time. */
export function dueCards(chats: readonly SourceChat[], nowMs: number): SourceChat[] {
  const since = latestDue(DAILY, nowMs) ?? 0;
  return chats.filter(
    // A time in the future comes from a wrong clock.
    ({ isRead, cardAt }) => isRead && (cardAt === null || cardAt < since || cardAt > nowMs),
  );
}

/** The ending or just ended day that the present subscribers count for; null at other times. */
function dayOfNow(nowMs: number): string | null {
  const since = latestDue(DAILY, nowMs);
  return since !== null && nowMs - since < OF_THE_DAY_MS ? formatDay(dayOf(since)) : null;
}

/**
 * Reads a channel whose card is due. The batch has its card and the day's subscribers, its new id, or that
 * the bot is no longer a member.
 */
export async function dueBatch(
  api: TelegramApi,
  chat: SourceChat,
  nowMs: number,
): Promise<Batch | TelegramFault> {
  const card = await readCard(api, { id: chat.chat });
  if (!("failure" in card)) return cardBatch(card.result, nowMs);
  const { movedTo, failure } = card;
  if (movedTo !== null) {
    return {
      moves: [{ from: chat.chat, to: movedTo }],
      chats: [{ ...chat, chat: movedTo, cardAt: null }],
    };
  }
  if (!isGone(card)) return card;
  return { chats: [{ ...chat, isRead: false, cardAt: nowMs, fault: failure }] };
}

function cardBatch({ chat, subscribers }: Card, nowMs: number): Batch {
  const day = dayOfNow(nowMs);
  const stats: Fields[] = day === null ? [] : [{ channel_msgr_id: chat.id, day, subscribers }];
  return { channels: [toChannelRow(chat, subscribers)], stats, chats: [toChat(chat, nowMs)] };
}

/** @param cardAt null if the card must be read */
export function toChat({ id, title, username }: Chat, cardAt: number | null): SourceChat {
  return { chat: id, title, handle: username, isRead: true, cardAt, fault: null };
}
