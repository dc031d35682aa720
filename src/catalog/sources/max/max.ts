import { message } from "../../../values/messages/messages.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import type { Batch } from "../bots/batch-writer.ts";
import type { BotAccess, BotEnd, BotMessenger, BotTools, Pushes } from "../bots/bot-messenger.ts";
import { ALL_READ } from "../bots/bot-messenger.ts";
import type { BotFault } from "../bots/call-api.ts";
import type { SourceChat, SourcePosition } from "../sources.table.ts";
import { createMaxApi, MAX_API, type MaxApi } from "./max-api.ts";
import { changesOf, unreadChat } from "./max-updates.ts";
import { readChannel } from "./read-channel.ts";

/**
 * Finds the bot's channels and reads them (sources, section 4). Updates only tell which channels changed;
 * their contents are requested, so repeated, reordered or lost updates lose no post.
 */
async function runMax(access: BotAccess, given: SourcePosition, tools: BotTools): Promise<BotEnd> {
  const { ask, signal, isWhole, apply, nowMs, sleep } = tools;
  const pace = { monotonic: tools.elapsedMs, sleep };
  const api = createMaxApi(access, ask, signal, pace, tools.tryAgain);
  const begun = isWhole ? await beginWhole(given, api, tools) : { position: given, fault: null };
  if ("end" in begun) return begun.end;
  let { position, fault: first } = begun;
  let { lagMs } = given;
  const today = dayOf(nowMs());
  const isNightly = isWhole && position.nightDay !== today;
  const chats = (await tools.chats()).toSorted((a, b) => (a.cardAt ?? 0) - (b.cardAt ?? 0));
  for (const known of chats) {
    const hasChanged = known.cardAt === null;
    if (!hasChanged && !(isWhole && (known.isRead || isNightly))) continue;
    if (signal.aborted) return ALL_READ;
    const read = await readChannel(
      known.chat,
      { isNightly: isNightly || hasChanged },
      {
        ...tools,
        api,
        apply: (batch) => apply(batch, null),
        noteLag(lag) {
          // A channel not read before has old posts, which say nothing about the delay.
          if (known.isRead) lagMs = lag;
        },
      },
    );
    if (read === "read") continue;
    if (read === "stopped") return ALL_READ;
    if (read === "lost") {
      if (!(await noteLost(known, tools))) return ALL_READ;
    } else {
      if (endsRun(read)) return read;
      // A fault in one channel does not keep the others from being read.
      first ??= read;
    }
  }
  if (lagMs !== undefined) position = { ...position, lagMs };
  if (isNightly && first === null) position = { ...position, nightDay: today };
  if (position.lagMs !== given.lagMs || position.nightDay !== given.nightDay) {
    await apply({}, position);
  }
  return first ?? ALL_READ;
}

/** @returns false if the run must write no more */
async function noteLost(known: SourceChat, { apply, chats, nowMs }: BotTools): Promise<boolean> {
  // `readChannel` may just have stored a newer title.
  const named = (await chats()).find(({ chat }) => chat === known.chat) ?? known;
  const fault = message("botNotInChannel");
  return apply({ chats: [{ ...named, isRead: false, cardAt: nowMs(), fault }] }, null);
}

/** Statuses that end the run: no response, a wrong token, the rate limit. */
const ENDS_RUN: readonly (number | null)[] = [null, 401, 429];
/** MAX refuses polling while updates are pushed somewhere. */
const NOT_ALLOWED = 405;

function endsRun({ status }: BotFault): boolean {
  return ENDS_RUN.includes(status);
}

/** The position after reading updates, and any fault that does not prevent reading channels. */
interface Begun {
  position: SourcePosition;
  fault: BotFault | null;
}

/**
 * Begins a run over all channels: learns from updates which channels there are, and turns pushes on or off.
 * @returns the run's end instead, if no channel must be read after that
 */
async function beginWhole(
  given: SourcePosition,
  api: MaxApi,
  tools: BotTools,
): Promise<Begun | { end: BotEnd }> {
  const { apply, pushes, nowMs } = tools;
  const subscription = await keepSubscribed(given, { api, apply, pushes });
  if ("failure" in subscription) return { end: subscription };
  if (pushes === null) {
    const polled = await readUpdates(subscription.position, api, tools);
    return polled.fault !== null && endsRun(polled.fault) ? { end: polled.fault } : polled;
  }
  let { position } = subscription;
  if (subscription.isMissing) {
    // Pending updates are lost on subscribing, so they are read first.
    const polled = await readUpdates(position, api, tools);
    if (polled.fault !== null && polled.fault.status !== NOT_ALLOWED) return { end: polled.fault };
    const made = await api.subscribe(pushes.url, pushes.secret);
    if ("failure" in made) return { end: made };
    position = polled.position;
  }
  position = { ...position, wholeAt: nowMs() };
  return (await apply({}, position)) ? { position, fault: null } : { end: ALL_READ };
}

/** Reads pending updates; each response's channels are committed together with the next marker. */
async function readUpdates(
  given: SourcePosition,
  api: MaxApi,
  { apply, chats, signal }: BotTools,
): Promise<Begun> {
  let position = given;
  for (;;) {
    const before = position.marker ?? null;
    const answer = await api.updates(before);
    if ("failure" in answer) {
      const isPushed = answer.status === NOT_ALLOWED;
      const fault = isPushed ? { ...answer, failure: message("botPushedElsewhere") } : answer;
      return { position, fault };
    }
    const { updates, marker } = answer;
    if (marker !== null) position = { ...position, marker };
    const isWritten = await apply(changesOf(updates, await chats()), position);
    const isEnd = updates.length === 0 || marker === null || marker === before;
    if (!isWritten || isEnd || signal.aborted) return { position, fault: null };
  }
}

/** MAX, according to the description of its Bot API of July 2026, 0.0.32 (sources, section 4). */
export const max: BotMessenger = {
  name: "MAX",
  api: MAX_API,
  schedule: "15m",
  token: /^[\w.:~+/=-]{10,500}$/,
  tokenExample: "f9LHodD0cOIrVvBtmhNpxjkzTq7",
  async nameOf(access, ask, signal) {
    const api = createMaxApi(access, ask, signal);
    const me = await api.me();
    if ("failure" in me) return me;
    // Channels that it joined before; a fault means that the server does not list them.
    const listed = await api.chats();
    const joined = "ids" in listed ? listed.ids.map(unreadChat) : [];
    // Channels that the bot is added to from now on come after this marker, whenever the first run is.
    const latest = await api.updates(null);
    if ("failure" in latest || latest.marker === null) return { bot: me.name, chats: joined };
    const { chats } = changesOf(latest.updates, []);
    return { bot: me.name, position: { marker: latest.marker }, chats: [...joined, ...chats] };
  },
  run: runMax,
  async leave(access, { subscribed }, ask, signal) {
    if (subscribed !== undefined) await createMaxApi(access, ask, signal).unsubscribe(subscribed);
  },
};

const NOT_FOUND = 404;

/**
 * Ends the subscription of an address that is no longer used, stores the present address, and checks
 * whether MAX still has its subscription, since it ends those whose pushes fail for hours. The address is
 * stored before the caller subscribes, so that no subscription is forgotten.
 * @returns the position with the address, and whether the caller must subscribe
 */
async function keepSubscribed(
  given: SourcePosition,
  {
    api,
    apply,
    pushes,
  }: {
    api: MaxApi;
    apply(batch: Batch, position: SourcePosition): Promise<boolean>;
    pushes: Pushes | null;
  },
): Promise<{ position: SourcePosition; isMissing: boolean } | BotFault> {
  const { subscribed, wholeAt, ...unsubscribed } = given;
  if (subscribed !== undefined && subscribed !== pushes?.url) {
    const ended = await api.unsubscribe(subscribed);
    if ("failure" in ended && ended.status !== NOT_FOUND) return ended;
    await apply({}, unsubscribed);
  }
  if (pushes === null) return { position: unsubscribed, isMissing: false };
  const position = {
    ...unsubscribed,
    ...(wholeAt !== undefined && { wholeAt }),
    subscribed: pushes.url,
  };
  if (subscribed !== pushes.url) await apply({}, position);
  const listed = await api.subscriptions();
  if ("failure" in listed) return listed;
  return { position, isMissing: !(subscribed === pushes.url && listed.urls.includes(pushes.url)) };
}
