import type { Batch } from "../batch-rows.ts";
import { ALL_READ, type BotAccess, type BotEnd, type BotTools } from "../bot-messenger.ts";
import type { SourcePosition } from "../sources.table.ts";
import { createTelegramApi, type TelegramFault } from "./telegram-api.ts";
import { dueBatch, dueCards } from "./telegram-cards.ts";
import type { Update } from "./telegram-shapes.ts";
import { readBatch } from "./telegram-updates.ts";

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
export async function runTelegram(
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
