import { message } from "../../../values/messages/messages.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import type { Fields } from "../../imports/source-row.ts";
import type { BotFault } from "../bot-fault.ts";
import { ALL_READ, type BotAccess, type BotEnd, type BotTools } from "../bot-messenger.ts";
import type { SourceChat, SourcePosition } from "../sources.table.ts";
import { keepSubscribed, type Pushes } from "./keep-subscribed.ts";
import { createMaxApi } from "./max-api.ts";
import { toDeletedRow } from "./max-rows.ts";
import { readUpdate } from "./max-updates.ts";
import { readChannel } from "./read-channel.ts";

/** Answers after which no further request makes sense: none at all, the token, the rate. */
const ENDS_RUN: readonly (number | null)[] = [null, 401, 429];
/** Updates are not given to whoever asks while they are pushed to somebody. */
const NOT_ALLOWED = 405;

/**
 * Finds the bot's channels and reads them (sources, section 4). Updates only tell which channels changed:
 * what is in them is asked for, so updates that repeat, overtake each other or are lost cost no post.
 */
export async function runMax(
  access: BotAccess,
  given: SourcePosition,
  tools: BotTools,
): Promise<BotEnd> {
  const { ask, signal, isWhole, apply, pushes, nowMs, sleep } = tools;
  const api = createMaxApi(access, ask, signal, { monotonic: tools.elapsedMs, sleep });
  let position = given;
  let first: BotFault | null = null;
  let lagMs = position.lagMs;
  if (isWhole) {
    const kept = await keepSubscribed(position, { api, apply, pushes });
    if ("failure" in kept) return kept;
    position = kept.position;
    if (pushes === null) first = await readUpdates();
    else if (kept.isMissing) {
      const fault = await subscribe(pushes);
      if (fault !== null) return fault;
    }
    if (first !== null && ENDS_RUN.includes(first.status)) return first;
  }
  if (isWhole && pushes !== null) {
    position = { ...position, wholeAt: nowMs() };
    if (!(await apply({}, position))) return ALL_READ;
  }
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
          // Posts of a channel that is new here are old.
          if (known.isRead) lagMs = lag;
        },
      },
    );
    if (read === "stopped") return ALL_READ;
    if (read === "lost") {
      // Its card may have been read just now.
      const named = (await tools.chats()).find(({ chat }) => chat === known.chat) ?? known;
      const lost = { ...named, isRead: false, cardAt: nowMs(), fault: message("botNotInChannel") };
      if (!(await apply({ chats: [lost] }, null))) return ALL_READ;
    } else if (read !== "read") {
      if (ENDS_RUN.includes(read.status)) return read;
      // One channel's trouble is not the others'.
      first ??= read;
    }
  }
  if (lagMs !== undefined) position = { ...position, lagMs };
  if (isNightly && first === null) position = { ...position, nightDay: today };
  if (position.lagMs !== given.lagMs || position.nightDay !== given.nightDay) {
    await apply({}, position);
  }
  return first ?? ALL_READ;

  /** Updates that were not asked for before are lost with the subscription, so they are read first. */
  async function subscribe({ url, secret }: Pushes): Promise<BotFault | null> {
    const fault = await readUpdates();
    if (fault !== null && fault.status !== NOT_ALLOWED) return fault;
    const made = await api.subscribe(url, secret);
    return "failure" in made ? made : null;
  }

  /** Notes the channels of new updates with the marker behind them, in one transaction. */
  async function readUpdates(): Promise<BotFault | null> {
    for (;;) {
      const before = position.marker ?? null;
      const answer = await api.updates(before);
      if ("failure" in answer) {
        return answer.status === NOT_ALLOWED
          ? { ...answer, failure: message("botPushedElsewhere") }
          : answer;
      }
      const { updates, marker } = answer;
      if (marker !== null) position = { ...position, marker };
      if (!(await apply(changesOf(updates, await tools.chats()), position))) return null;
      const isEnd = updates.length === 0 || marker === null || marker === before;
      if (isEnd || signal.aborted) return null;
    }
  }
}

/**
 * Changes that updates tell of: channels that are to be read, and posts that are gone for good. A removal that comes
 * before its post keeps the post from being stored.
 */
export function changesOf(
  updates: readonly unknown[],
  chats: readonly SourceChat[],
): { chats: SourceChat[]; posts: Fields[] } {
  const known = new Map(chats.map((one) => [one.chat, one]));
  const changed = new Map<string, SourceChat>();
  const posts: Fields[] = [];
  for (const update of updates) {
    const told = readUpdate(update);
    const before = told === null ? undefined : known.get(told.chat);
    if (told === null || !(told.isChannel || before !== undefined)) continue;
    const fresh = { chat: told.chat, title: told.chat, handle: null, isRead: false, fault: null };
    changed.set(told.chat, { ...(before ?? fresh), cardAt: null });
    if (told.removed !== null && before?.isRead === true) {
      posts.push(toDeletedRow(told.chat, told.removed));
    }
  }
  return { chats: [...changed.values()], posts };
}
