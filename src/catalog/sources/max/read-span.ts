import { message } from "../../../values/messages/messages.ts";
import type { BotFault } from "../bot-fault.ts";
import { type MaxApi, PAGE_MESSAGES } from "./max-api.ts";
import type { Message } from "./max-shapes.ts";

/**
 * Reads a channel's messages of a span of time, newest first and page by page. The end is reached when a
 * page brings nothing new and leads no further back: a page may be shorter than requested without being the
 * last.
 * @param since start of the span, in epoch milliseconds
 * @param onPage receives new messages only; returns false to stop
 * @returns `partly` if some messages were not understood, and a fault if a page could not be read: then no
 * message is known to be absent
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
