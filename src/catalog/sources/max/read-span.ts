import { message } from "../../../values/messages/messages.ts";
import type { BotFault } from "../bot-fault.ts";
import { type MaxApi, PAGE_MESSAGES } from "./max-api.ts";
import type { Message } from "./max-shapes.ts";

/**
 * Reads a channel's messages of a span, the newest first, page by page, to its end. It is at its end where a
 * page brings nothing new and leads no further back: a page may be shorter than was asked for without being
 * the last.
 * @param since epoch milliseconds of the earlier end
 * @param onPage gets new messages only; false where the reading is to stop
 * @returns `partly` where some messages were not understood, and a fault where any page was none: then nothing
 *   is known to be absent
 */
export async function readSpan(
  api: Pick<MaxApi, "messages">,
  chat: string,
  since: number,
  onPage: (messages: readonly Message[]) => Promise<boolean>,
): Promise<"whole" | "partly" | "stopped" | BotFault> {
  const seen = new Set<string>();
  let before: number | null = null;
  let isUnderstood = true;
  for (;;) {
    const page: Awaited<ReturnType<MaxApi["messages"]>> = await api.messages(chat, {
      since,
      before,
    });
    if ("failure" in page) return page;
    isUnderstood &&= page.isUnderstood;
    const within = page.messages.filter(({ timestamp }) => timestamp >= since);
    const fresh = within.filter(({ body }) => !seen.has(body.mid));
    // One more than the oldest: others of that millisecond may be on the next page.
    const next = Math.min(...page.times.filter((time) => time >= since)) + 1;
    const leadsOn = next < (before ?? Number.POSITIVE_INFINITY);
    if (fresh.length === 0 && !leadsOn) {
      if (!isUnderstood) return "partly";
      // A full page of what was seen leaves no way to what is behind it.
      const isStuck = page.count >= PAGE_MESSAGES && within.length === page.messages.length;
      return isStuck ? STUCK : "whole";
    }
    for (const { body } of fresh) seen.add(body.mid);
    if (fresh.length > 0 && !(await onPage(fresh))) return "stopped";
    before = next;
  }
}

const STUCK: BotFault = { failure: message("botAnswerWrong"), retryAfterMs: null, status: null };
