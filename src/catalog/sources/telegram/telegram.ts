import type { Fields } from "../../imports/reading/recognized.ts";
import type { AlbumMessage } from "../bots/album-post.ts";
import type { Batch, ReactionCount } from "../bots/batch-writer.ts";
import type { BotAccess, BotEnd, BotMessenger, BotTools } from "../bots/bot-messenger.ts";
import { ALL_READ } from "../bots/bot-messenger.ts";
import type { SourceChat, SourcePosition } from "../sources.table.ts";
import type { Chat, Message, TelegramApi, TelegramFault, Update } from "./telegram-api.ts";
import { createTelegramApi } from "./telegram-api.ts";
import { dueBatch, dueCards, isGone, readCard, toChat } from "./telegram-cards.ts";
import { changesCard, isPost, toAlbumMessage, toChannelRow, toPostRow } from "./telegram-posts.ts";

/** The API's longest wait, in seconds; shorter than the default interval of runs. */
const WAIT_MAX_S = 50;
const READING_MAX_MS = WAIT_MAX_S * 1000;
/** Time limit for a run including cards; cards left over are read by the next run. */
const RUN_MAX_MS = 80_000;
/** How long Telegram keeps updates. */
const UPDATES_KEPT_MS = 24 * 60 * 60 * 1000;
const GAP_SHOWN_MS = 30 * UPDATES_KEPT_MS;
/**
 * After a week without updates Telegram may restart their numbers anywhere, even below the last one; this
 * leaves a day's margin.
 */
const RENUMBERED_MS = 6 * UPDATES_KEPT_MS;

/**
 * Reads updates until none arrives for as long as the run may wait, committing each batch with the number
 * of the next update; and reads the cards that are due (sources, section 3).
 */
async function runTelegram(
  access: BotAccess,
  position: SourcePosition,
  tools: BotTools,
): Promise<BotEnd> {
  const api = createTelegramApi(access, tools.ask, tools.signal, tools.tryAgain);
  let at = position;
  /** Another process holds the source by now, or it is gone. */
  let isLost = false;
  const isOver = (maxMs: number): boolean =>
    isLost || tools.signal.aborted || tools.elapsedMs() >= maxMs;
  async function write(batch: Batch, position: SourcePosition | null): Promise<void> {
    if (!(await tools.apply(batch, position))) isLost = true;
  }
  const hasDue = async (): Promise<boolean> =>
    dueCards(await tools.chats(), tools.nowMs()).length > 0;

  for (let isFirst = true; isFirst || !isOver(READING_MAX_MS); isFirst = false) {
    const isWaiting = tools.mayWait && !(await hasDue());
    const waitS = isWaiting ? secondsLeft(tools) : 0;
    const answer = await api.updates(offsetOf(at, tools.nowMs()), waitS);
    if ("failure" in answer) return answer;
    if (isFirst) at = withGap(at, tools);
    if (answer.result.length > 0) {
      const batch = await readBatch(answer.result, await tools.chats(), api, tools.nowMs());
      if ("failure" in batch) return batch;
      at = after(at, answer.result, tools.nowMs());
      await write(batch, at);
    } else if (isWaiting || !(await hasDue())) break;
    else {
      const fault = await refreshCards();
      if (fault !== null) return fault;
    }
  }
  const fault = await refreshCards();
  if (fault !== null) return fault;
  return isLost ? ALL_READ : { ...ALL_READ, position: at === position ? null : at };

  async function refreshCards(): Promise<TelegramFault | null> {
    for (const chat of dueCards(await tools.chats(), tools.nowMs())) {
      if (isOver(RUN_MAX_MS)) return null;
      const batch = await dueBatch(api, chat, tools.nowMs());
      if ("failure" in batch) return batch;
      await write(batch, null);
    }
    return null;
  }
}

function secondsLeft({ elapsedMs }: BotTools): number {
  return Math.max(0, Math.floor((READING_MAX_MS - elapsedMs()) / 1000));
}

/** Number to start from; null for the first unconfirmed update, whatever its number. */
function offsetOf({ offset, updateAt = 0 }: SourcePosition, nowMs: number): number | null {
  return offset === undefined || nowMs - updateAt > RENUMBERED_MS ? null : offset;
}

/**
 * Records the interval since the last reading if updates may be lost; forgets an old one after a month.
 */
function withGap(position: SourcePosition, { succeededAt, nowMs }: BotTools): SourcePosition {
  const to = nowMs();
  if (succeededAt === null || to - succeededAt <= UPDATES_KEPT_MS) {
    const { gap, ...withoutGap } = position;
    return gap !== undefined && to - gap.to > GAP_SHOWN_MS ? withoutGap : position;
  }
  return { ...position, gap: { from: succeededAt, to } };
}

function after(
  position: SourcePosition,
  updates: readonly Update[],
  nowMs: number,
): SourcePosition {
  const last = updates.at(-1)?.update_id ?? 0;
  const published = updates.flatMap(({ message, isEdit }) =>
    message === null || isEdit ? [] : [message.date * 1000],
  );
  return {
    ...position,
    offset: last + 1,
    updateAt: nowMs,
    ...(published.length > 0 && { lagMs: Math.max(0, nowMs - Math.max(...published)) }),
  };
}

/** Telegram, through its Bot API 10 (sources, section 3). */
export const telegram: BotMessenger = {
  name: "Telegram",
  api: "https://api.telegram.org",
  schedule: "1m",
  token: /^\d{1,20}:[\w-]{1,200}$/,
  tokenExample: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  async nameOf(access, ask, signal) {
    const me = await createTelegramApi(access, ask, signal).me();
    return "failure" in me ? me : { bot: `@${me.result}` };
  },
  run: runTelegram,
};

/** The bot's statuses in which it receives a channel's posts, or may ask for a group's card. */
const READS: Record<string, readonly string[]> = {
  channel: ["administrator", "creator"],
  group: ["administrator", "creator", "member"],
  supergroup: ["administrator", "creator", "member"],
};

interface Reading {
  api: TelegramApi;
  nowMs: number;
  /** The source's channels before these updates, and those that they change, by id. */
  known: ReadonlyMap<string, SourceChat>;
  changed: Map<string, SourceChat>;
  channels: Fields[];
  posts: Fields[];
  albums: AlbumMessage[];
}

/**
 * Converts updates to a batch of rows. The card of a channel that is new to the source is read, so that the
 * channel is in the catalog before its first post.
 * @param known the source's channels
 */
async function readBatch(
  updates: readonly Update[],
  known: readonly SourceChat[],
  api: TelegramApi,
  nowMs: number,
): Promise<Batch | TelegramFault> {
  const reading: Reading = {
    api,
    nowMs,
    known: new Map(known.map((chat) => [chat.chat, chat])),
    changed: new Map(),
    channels: [],
    posts: [],
    albums: [],
  };
  const reactions: ReactionCount[] = [];
  for (const { message, membership, reactions: counted } of updates) {
    if (counted !== null) reactions.push(counted);
    const fault =
      (membership === null ? null : await applyMembership(reading, membership)) ??
      (message?.chat.type === "channel" ? await applyMessage(reading, message) : null);
    if (fault !== null) return fault;
  }
  const { channels, posts, albums, changed } = reading;
  return { channels, posts, albums, reactions, chats: [...changed.values()] };
}

async function applyMembership(
  reading: Reading,
  { chat, status }: NonNullable<Update["membership"]>,
): Promise<TelegramFault | null> {
  if (READS[chat.type]?.includes(status) === true) return ensureAdded(reading, chat);
  const before = chatOf(reading, chat.id);
  if (before !== undefined) put(reading, { ...before, isRead: false });
  return null;
}

async function applyMessage(reading: Reading, message: Message): Promise<TelegramFault | null> {
  const { chat } = message;
  const fault = await ensureAdded(reading, chat);
  if (fault !== null) return fault;
  const { title, handle } = chatOf(reading, chat.id) ?? {};
  if (changesCard(message) || title !== chat.title || handle !== chat.username) {
    put(reading, toChat(chat, null));
  }
  const album = toAlbumMessage(message);
  if (album !== null) reading.albums.push(album);
  else if (isPost(message)) reading.posts.push(toPostRow(message));
  return null;
}

/** Adds a channel that the source does not read yet, with its card. */
async function ensureAdded(reading: Reading, chat: Chat): Promise<TelegramFault | null> {
  if (chatOf(reading, chat.id)?.isRead === true) return null;
  const card = await readCard(reading.api, chat);
  if ("failure" in card) {
    if (!isGone(card)) return card;
    // The bot was removed meanwhile, so the channel is stored as the update describes it.
    reading.channels.push(toChannelRow({ ...chat, description: null }, undefined));
    put(reading, toChat(chat, null));
  } else {
    reading.channels.push(toChannelRow(card.result.chat, card.result.subscribers));
    put(reading, toChat(card.result.chat, reading.nowMs));
  }
  return null;
}

/** The source's state of a channel after the updates so far. */
function chatOf({ known, changed }: Reading, id: string): SourceChat | undefined {
  return changed.get(id) ?? known.get(id);
}

function put({ changed }: Reading, chat: SourceChat): void {
  changed.set(chat.chat, chat);
}
