import { message } from "../../../values/messages/messages.ts";
import { DAY_MS, dayOf } from "../../../values/moscow-time.ts";
import type { Batch } from "../bots/batch-writer.ts";
import type { BotTools } from "../bots/bot-messenger.ts";
import type { BotFault } from "../bots/call-api.ts";
import { type MaxApi, PAGE_MESSAGES } from "./max-api.ts";
import type { Chat, Message } from "./max-rows.ts";
import {
  handleOf,
  postIdOf,
  titleOf,
  toChannelRow,
  toDeletedRow,
  toPostRow,
  toStatsRow,
} from "./max-rows.ts";

interface ReadingTools
  extends Pick<BotTools, "storedPosts" | "isHandleTaken" | "nowMs" | "signal"> {
  api: MaxApi;
  /** Writes a batch; false if this run must not write any more. */
  apply(batch: Batch): Promise<boolean>;
  /** Receives, if the first page has new posts, how long after its publication the newest was read. */
  noteLag(lagMs: number): void;
}

/**
 * `lost`: the bot is no longer a member, or may not read it. `stopped`: the run must end, with part of the
 * channel unread.
 */
export type Read = "read" | "lost" | "stopped" | BotFault;

/** Days of posts to read each time, and once a night (sources, section 4). */
const USUAL_DAYS = 2;
const NIGHTLY_DAYS = 7;
/** Statuses that deny the bot access. */
const DENIED: readonly (number | null)[] = [403, 404];
/** Permission without which a bot sees no posts. */
const READ_PERMISSION = "read_all_messages";
/** Margin at the start of a span, where MAX may leave out a post that is counted here. */
const EDGE_MS = 1000;

/**
 * Reads a channel: its card and subscribers, its posts of recent days, and which of them were deleted.
 * Every page is written as it arrives.
 * @param chat its id at MAX, in digits
 */
export async function readChannel(
  chat: string,
  { isNightly }: { isNightly: boolean },
  tools: ReadingTools,
): Promise<Read> {
  const { api, apply, nowMs, signal } = tools;
  const card = await api.chat(chat);
  if ("failure" in card) return DENIED.includes(card.status) ? "lost" : card;
  if (card.type !== "channel" || card.status !== "active") return "lost";
  const startedAt = nowMs();
  // Handles at two messengers may be equal: one must not be moved back and forth between them.
  const named = handleOf(card);
  const handle = named === null || (await tools.isHandleTaken(chat, named)) ? null : named;
  const found = cardBatch(chat, { ...card, handle }, startedAt);
  // Storing `cardAt` clears the change mark before posts are requested, so a mark set from here on stays.
  if (!(await apply(found))) return "stopped";
  const since = startedAt - (isNightly ? NIGHTLY_DAYS : USUAL_DAYS) * DAY_MS;
  const stored = new Set(await tools.storedPosts(chat, { from: since + EDGE_MS, to: startedAt }));
  const present = new Set<string>();
  const extent = await readSpan(api, chat, since, async (messages) => {
    if (signal.aborted) return false;
    const newest = messages.find((one) => !stored.has(postIdOf(one) ?? ""));
    if (newest !== undefined && present.size === 0) tools.noteLag(nowMs() - newest.timestamp);
    const posts = messages.map((one) => {
      const id = postIdOf(one) ?? "";
      present.add(id);
      return toPostRow(chat, one, stored.has(id) ? null : nowMs());
    });
    return apply({ posts });
  });
  if (extent === "stopped") return "stopped";
  if (extent === "partly") {
    const fault = message("botPartlyUnderstood");
    // Without `cardAt`: a mark set meanwhile stays.
    const chats = found.chats?.map(({ cardAt: _, ...chat }) => ({ ...chat, fault })) ?? [];
    return (await apply({ chats })) ? "read" : "stopped";
  }
  if (extent !== "whole") return DENIED.includes(extent.status) ? "lost" : extent;
  return removeAbsent(
    chat,
    [...stored].filter((id) => !present.has(id)),
    tools,
  );
}

function cardBatch(chat: string, card: Chat & { handle: string | null }, nowMs: number): Batch {
  const found = { chat, title: titleOf(chat, card), handle: handleOf(card) };
  return {
    channels: [toChannelRow(chat, card)],
    stats: [toStatsRow(chat, dayOf(nowMs), card)],
    chats: [{ ...found, isRead: true, fault: null, cardAt: nowMs }],
  };
}

/**
 * Takes down posts missing from a complete reading. A bot that lost its permission might get an empty list
 * instead of a refusal, so the permission is checked first.
 * @param absent messenger ids of the posts
 */
async function removeAbsent(
  chat: string,
  absent: readonly string[],
  { api, apply }: ReadingTools,
): Promise<Read> {
  if (absent.length === 0) return "read";
  const bot = await api.membership(chat);
  if ("failure" in bot) return DENIED.includes(bot.status) ? "lost" : bot;
  const isAdmin = bot.is_admin === true || bot.is_owner === true;
  const mayRead = bot.permissions == null || bot.permissions.includes(READ_PERMISSION);
  if (!isAdmin || !mayRead) return "lost";
  const rows = absent.map((id) => toDeletedRow(chat, id));
  return (await apply({ posts: rows })) ? "read" : "stopped";
}

/**
 * Reads a channel's messages of a span of time, newest first and page by page. The end is reached when a
 * page brings nothing new and leads no further back: a page may be shorter than requested without being the
 * last.
 * @param since start of the span, in epoch milliseconds
 * @param onPage receives new messages only; returns false to stop
 * @returns `partly` if some messages were not understood, and a fault if a page could not be read: then no
 * message is known to be absent
 */
async function readSpan(
  api: Pick<MaxApi, "messages">,
  chat: string,
  since: number,
  onPage: (messages: readonly Message[]) => Promise<boolean>,
): Promise<"whole" | "partly" | "stopped" | BotFault> {
  const seen = new Set<string>();
  let before: number | null = null;
  let isUnderstood = true;
  for (;;) {
    const span = { since, before };
    const page: Awaited<ReturnType<MaxApi["messages"]>> = await api.messages(chat, span);
    if ("failure" in page) return page;
    isUnderstood &&= page.isUnderstood;
    const within = page.messages.filter(({ timestamp }) => timestamp >= since);
    const fresh = within.filter(({ body }) => !seen.has(body.mid));
    // One more than the oldest: the next page may have others of the same millisecond.
    const next = Math.min(...page.times.filter((time) => time >= since)) + 1;
    const leadsOn = next < (before ?? Number.POSITIVE_INFINITY);
    if (fresh.length === 0 && !leadsOn) {
      if (!isUnderstood) return "partly";
      // A full page without anything new leaves no way to earlier messages.
      const isStuck = page.count >= PAGE_MESSAGES && within.length === page.messages.length;
      return isStuck ? STUCK : "whole";
    }
    for (const { body } of fresh) seen.add(body.mid);
    if (fresh.length > 0 && !(await onPage(fresh))) return "stopped";
    before = next;
  }
}

const STUCK: BotFault = { failure: message("botAnswerWrong"), retryAfterMs: null, status: null };
