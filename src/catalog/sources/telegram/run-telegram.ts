import type { ImportSummary } from "../../imports/run-import.ts";
import { INTERRUPTED } from "../../imports/source.ts";
import type { BotAccess, BotTools } from "../bots.ts";
import { failed, NOTHING, type Outcome } from "../outcome.ts";
import type { SourcePosition } from "../sources.table.ts";
import { sumOf } from "../sum-summaries.ts";
import { createTelegramApi, type TelegramApi, type TelegramFault } from "./telegram-api.ts";
import { cardBatch, dueCards, faultBatch, isGone, readCard } from "./telegram-cards.ts";
import type { Update } from "./telegram-shapes.ts";
import { readBatch } from "./telegram-updates.ts";

/** The longest wait that the API takes; within the time after which the next run is due. */
const WAIT_MAX_S = 50;
const RUN_MAX_MS = WAIT_MAX_S * 1000;
/** Telegram keeps updates for so long. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** After a week without any, updates are numbered anew from anywhere, perhaps below the last number. */
const NUMBERED_ANEW_MS = 6 * KEPT_MS;

/**
 * Reads updates until there are none or the run has lasted a minute, each batch committed with the number of
 * the next update, and the cards that are due (sources, section 3).
 */
export async function runTelegram(
  access: BotAccess,
  position: SourcePosition,
  tools: BotTools,
): Promise<Outcome> {
  const api = createTelegramApi(access, tools.ask, tools.signal);
  let at = position;
  let summary: ImportSummary | null = null;
  const ended = (fault: TelegramFault): Outcome =>
    tools.signal.aborted
      ? failed(INTERRUPTED)
      : { ...NOTHING, summary, failure: fault.failure, retryAfterMs: fault.retryAfterMs };
  const isOver = (): boolean => tools.signal.aborted || tools.elapsedMs() >= RUN_MAX_MS;

  for (let isFirst = true; isFirst || !isOver(); isFirst = false) {
    const hasDue = dueCards(await tools.chats(), tools.nowMs()).length > 0;
    const waitS = tools.mayWait && !hasDue ? secondsLeft(tools) : 0;
    const answer = await api.updates(offsetOf(at, tools.nowMs()), waitS);
    if ("failure" in answer) return ended(answer);
    if (isFirst) at = withGap(at, tools);
    if (answer.result.length === 0) break;
    const batch = await readBatch(answer.result, await tools.chats(), api, tools.nowMs());
    if ("failure" in batch) return ended(batch);
    at = after(at, answer.result, tools.nowMs());
    const written = await tools.apply(batch, at);
    if (written === null) return failed(INTERRUPTED);
    summary = sumOf(summary, written);
  }
  const cards = await refreshCards(api, tools, isOver);
  if (cards !== null && "failure" in cards) return ended(cards);
  if (tools.signal.aborted) return failed(INTERRUPTED);
  return { ...NOTHING, summary, position: at === position ? null : at };
}

function secondsLeft({ elapsedMs }: BotTools): number {
  return Math.max(0, Math.floor((RUN_MAX_MS - elapsedMs()) / 1000));
}

/** The number to ask from; null: from the first that was not taken yet, whatever it is. */
function offsetOf({ offset, updateAt = 0 }: SourcePosition, nowMs: number): number | null {
  return offset === undefined || nowMs - updateAt > NUMBERED_ANEW_MS ? null : offset;
}

/** Notes the time since the last reading where updates of it are gone. */
function withGap(position: SourcePosition, { succeededAt, nowMs }: BotTools): SourcePosition {
  const to = nowMs();
  if (succeededAt === null || to - succeededAt <= KEPT_MS) return position;
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
    ...{ offset: last + 1, updateAt: nowMs },
    ...(published.length > 0 && { lagMs: Math.max(0, nowMs - Math.max(...published)) }),
  };
}

/** Reads the cards that are due, as many as the run has time for. */
async function refreshCards(
  api: TelegramApi,
  tools: BotTools,
  isOver: () => boolean,
): Promise<TelegramFault | null> {
  for (const chat of dueCards(await tools.chats(), tools.nowMs())) {
    if (isOver()) return null;
    const card = await readCard(api, { id: chat.chat });
    if ("failure" in card && !isGone(card) && card.movedTo === null) return card;
    const nowMs = tools.nowMs();
    const batch = "failure" in card ? faultBatch(chat, card, nowMs) : cardBatch(card.result, nowMs);
    if ((await tools.apply(batch, null)) === null) return null;
  }
  return null;
}
