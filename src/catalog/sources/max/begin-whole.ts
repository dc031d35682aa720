import { message } from "../../../values/messages/messages.ts";
import type { BotFault } from "../bot-fault.ts";
import { ALL_READ, type BotEnd, type BotTools } from "../bot-messenger.ts";
import type { SourcePosition } from "../sources.table.ts";
import { keepSubscribed } from "./keep-subscribed.ts";
import type { MaxApi } from "./max-api.ts";
import { changesOf } from "./max-updates.ts";

/** Statuses that end the run: no response, a wrong token, the rate limit. */
const ENDS_RUN: readonly (number | null)[] = [null, 401, 429];
/** MAX refuses polling while updates are pushed somewhere. */
const NOT_ALLOWED = 405;

export function endsRun({ status }: BotFault): boolean {
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
export async function beginWhole(
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
