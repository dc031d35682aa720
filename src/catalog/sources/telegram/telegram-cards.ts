import { latestDue } from "../../../values/cron-times.ts";
import { dayOf, formatDay } from "../../../values/moscow-time.ts";
import type { Fields } from "../../imports/input-row.ts";
import type { Batch } from "../batch-rows.ts";
import type { SourceChat } from "../sources.table.ts";
import type { Answered, TelegramApi, TelegramFault } from "./telegram-api.ts";
import { toChannelRow } from "./telegram-posts.ts";
import type { Chat, FullChat } from "./telegram-shapes.ts";

/** Cards and numbers of subscribers are read daily (sources, section 3). */
const DAILY = "50 23 * * *";
/** Numbers that are read later are none of that day any more. */
const OF_THE_DAY_MS = 60 * 60 * 1000;

export interface Card {
  chat: FullChat;
  subscribers: number;
}

/** A channel as it is now. */
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

/** Whether the messenger has no such chat for the bot any more, as far as it says. */
export function isGone({ status, movedTo }: TelegramFault): boolean {
  return (status === 400 || status === 403) && movedTo === null;
}

/** Channels whose card was not read since the last time that cards are read. */
export function dueCards(chats: readonly SourceChat[], nowMs: number): SourceChat[] {
  const since = latestDue(DAILY, nowMs) ?? 0;
  return chats.filter(
    // A time that lies ahead is that of a clock that was wrong.
    ({ isRead, cardAt }) => isRead && (cardAt === null || cardAt < since || cardAt > nowMs),
  );
}

/** The day whose subscribers are the number of now; null where no day ends or has just ended. */
function dayOfNow(nowMs: number): string | null {
  const since = latestDue(DAILY, nowMs);
  return since !== null && nowMs - since < OF_THE_DAY_MS ? formatDay(dayOf(since)) : null;
}

/**
 * Asks the messenger about a channel whose card is due: the card with the subscribers of the day, another
 * number, or that the bot is not there any more.
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

/** @param cardAt null: the card is to be read */
export function toChat({ id, title, username }: Chat, cardAt: number | null): SourceChat {
  return { chat: id, title, handle: username, isRead: true, cardAt, fault: null };
}
