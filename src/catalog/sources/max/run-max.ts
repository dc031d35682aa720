import { message } from "../../../values/messages/messages.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import { ALL_READ, type BotAccess, type BotEnd, type BotTools } from "../bot-messenger.ts";
import type { SourceChat, SourcePosition } from "../sources.table.ts";
import { beginWhole, endsRun } from "./begin-whole.ts";
import { createMaxApi } from "./max-api.ts";
import { readChannel } from "./read-channel.ts";

/**
 * Finds the bot's channels and reads them (sources, section 4). Updates only tell which channels changed;
 * their contents are requested, so repeated, reordered or lost updates lose no post.
 */
export async function runMax(
  access: BotAccess,
  given: SourcePosition,
  tools: BotTools,
): Promise<BotEnd> {
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
