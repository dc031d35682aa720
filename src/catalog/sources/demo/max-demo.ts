import type { Clock } from "../../../ports/clock.ts";
import type { ApiAnswer, CallApi } from "../bots/call-api.ts";
import { DEMO_CHANNELS, demoHandle, demoPost, STEP_MS, stepAt } from "./demo-posts.ts";

/** Steps after which a post is gone: an hour. So the demonstration shows deletions, and stays small. */
const KEPT_STEPS = 720;
/** Some posts are deleted a minute after they appeared, and some edited after half a minute. */
const DELETED_AFTER_STEPS = 12;
const EDITED_AFTER_STEPS = 6;

export const MAX_DEMO_TOKEN = "kanalog-demonstration";

/** MAX's Bot API as a bot in three channels sees it, without MAX. */
export function createMaxDemo(clock: Clock): CallApi {
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const [, resource, id = searchParams.get("chat_id"), member] = pathname.split("/");
    const channel = DEMO_CHANNELS.findIndex((_, at) => String(chatId(at)) === id);
    const nowMs = clock.now();
    if (resource === "me") return answer({ user_id: 1, username: "kanalog_demo", is_bot: true });
    if (resource === "updates") return answer(updatesAfter(searchParams.get("marker"), nowMs));
    if (channel < 0) return { status: 404, json: { code: "not.found" }, retryAfterMs: null };
    if (member !== undefined) return answer({ is_admin: true, permissions: ["read_all_messages"] });
    if (resource === "chats") return answer(chatOf(channel, nowMs));
    const until = Number(searchParams.get("from") ?? nowMs);
    const span = { from: Number(searchParams.get("to")), until };
    return answer({
      messages: messagesOf(channel, span, Number(searchParams.get("count")), nowMs),
    });
  };
}

function answer(json: unknown): ApiAnswer {
  return { status: 200, json, retryAfterMs: null };
}

const HOST = "max.ru";

const chatId = (channel: number): number => -99_900_001 - channel;

/** Without a marker, that the bot was added to its channels; then, which of them have changed. */
function updatesAfter(marker: string | null, nowMs: number): object {
  const now = stepAt(nowMs);
  const changed = Math.min(now - Number(marker ?? 0), DEMO_CHANNELS.length);
  const updates = DEMO_CHANNELS.slice(0, changed).map((_, at) =>
    marker === null
      ? { update_type: "bot_added", chat_id: chatId(at), is_channel: true }
      : {
          update_type: "message_created",
          message: {
            recipient: { chat_type: "channel", chat_id: chatId((now - at) % DEMO_CHANNELS.length) },
          },
        },
  );
  return { updates, marker: now };
}

function chatOf(channel: number, nowMs: number): object {
  const { title, description, subscribersAt } = DEMO_CHANNELS[channel] ?? {};
  return {
    ...{ chat_id: chatId(channel), type: "channel", status: "active", title, description },
    ...{ participants_count: subscribersAt?.(nowMs), is_public: true },
    link: `https://${HOST}/${demoHandle(channel, HOST)}`,
  };
}

/** The newest messages of a span of time, newest first. */
function messagesOf(
  channel: number,
  { from, until }: { from: number; until: number },
  count: number,
  nowMs: number,
): object[] {
  const now = stepAt(nowMs);
  const messages: object[] = [];
  const oldest = Math.max(stepAt(from), now - KEPT_STEPS);
  for (
    let step = stepAt(Math.min(until, nowMs));
    step >= oldest && messages.length < count;
    step--
  ) {
    const age = now - step;
    const isDeleted = step % 8 === 7 && age >= DELETED_AFTER_STEPS;
    if (step % DEMO_CHANNELS.length !== channel || isDeleted) continue;
    const isEdited = step % 6 === 5 && age >= EDITED_AFTER_STEPS;
    const post = demoPost(step, HOST, isEdited);
    const markup = post.links.map(({ offset, length, target: url }) => ({
      type: "link",
      from: offset,
      length,
      url,
    }));
    messages.push({
      recipient: { chat_id: chatId(channel), chat_type: "channel" },
      timestamp: post.publishedAt,
      body: {
        mid: `mid.${step.toString(16).padStart(24, "0")}`,
        text: post.text,
        markup,
        attachments: post.hasPhoto ? [{ type: "image" }] : [],
      },
      stat: { views: Math.floor(Math.sqrt(age * (STEP_MS / 1000)) * (20 + (step % 30))) },
    });
  }
  return messages;
}
