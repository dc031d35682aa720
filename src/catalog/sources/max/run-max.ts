import { type Message, message } from "../../../values/messages/messages.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import type { Fields } from "../../imports/source-row.ts";
import type { Batch } from "../batch-rows.ts";
import type { SourceChat, SourcePosition } from "../sources.table.ts";
import { keepSubscribed, type Pushes } from "./keep-subscribed.ts";
import type { MaxFault } from "./max-api.ts";
import { toDeletedRow } from "./max-rows.ts";
import { readUpdate } from "./max-updates.ts";
import { type ReadingTools, readChannel } from "./read-channel.ts";

/** What a run of a MAX source needs. */
export interface MaxTools extends Omit<ReadingTools, "apply" | "noteLag"> {
  /** As `ReadingTools`; with how far the source was read, where that changed. */
  apply(batch: Batch, position: SourcePosition | null): Promise<boolean>;
  chats(): Promise<SourceChat[]>;
  /** Where updates are pushed to; null where they are asked for. */
  pushes: Pushes | null;
}

/** How a run ended; without a failure all was read. */
export interface MaxEnd {
  failure: Message | null;
  retryAfterMs: number | null;
}

const DONE: MaxEnd = { failure: null, retryAfterMs: null };

/** Answers after which no further request makes sense: none at all, the token, the rate. */
const ENDS_RUN: readonly (number | null)[] = [null, 401, 429];
/** Updates are not given to whoever asks while they are pushed to somebody. */
const NOT_ALLOWED = 405;

/**
 * Finds the bot's channels and reads them (sources, section 4). Updates only tell which channels changed:
 * what is in them is asked for, so updates that repeat, overtake each other or are lost cost no post.
 * @param isWhole false: only channels that changed
 */
export async function runMax(
  given: SourcePosition,
  isWhole: boolean,
  tools: MaxTools,
): Promise<MaxEnd> {
  const { api, apply, pushes, nowMs, isStopping } = tools;
  let position = given;
  let first: MaxFault | null = null;
  let lagMs = position.lagMs;
  if (isWhole) {
    const kept = await keepSubscribed(position, tools);
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
    if (!(await apply({}, position))) return DONE;
  }
  const today = dayOf(nowMs());
  const isNightly = isWhole && position.nightDay !== today;
  const chats = (await tools.chats()).toSorted((a, b) => (a.cardAt ?? 0) - (b.cardAt ?? 0));
  for (const known of chats) {
    const hasChanged = known.cardAt === null;
    if (!hasChanged && !(isWhole && (known.isRead || isNightly))) continue;
    if (isStopping()) return DONE;
    const read = await readChannel(
      known.chat,
      { isNightly: isNightly || hasChanged },
      {
        ...tools,
        apply: (batch) => apply(batch, null),
        noteLag(lag) {
          // Posts of a channel that is new here are old.
          if (known.isRead) lagMs = lag;
        },
      },
    );
    if (read === "stopped") return DONE;
    if (read === "lost") {
      // Its card may have been read just now.
      const named = (await tools.chats()).find(({ chat }) => chat === known.chat) ?? known;
      const lost = { ...named, isRead: false, cardAt: nowMs(), fault: message("botNotInChannel") };
      if (!(await apply({ chats: [lost] }, null))) return DONE;
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
  return first ?? DONE;

  /** Updates that were not asked for before are lost with the subscription, so they are read first. */
  async function subscribe({ url, secret }: Pushes): Promise<MaxFault | null> {
    const fault = await readUpdates();
    if (fault !== null && fault.status !== NOT_ALLOWED) return fault;
    const made = await api.subscribe(url, secret);
    return "failure" in made ? made : null;
  }

  /** Notes the channels of new updates with the marker behind them, in one transaction. */
  async function readUpdates(): Promise<MaxFault | null> {
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
      if (isEnd || isStopping()) return null;
    }
  }
}

/**
 * What updates tell: channels that are to be read, and posts that are gone for good. A removal that comes
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
