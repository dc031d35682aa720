import type { Clock } from "../../../ports/clock.ts";
import type { ApiAnswer, CallApi } from "../bots/call-api.ts";
import type { DemoPost } from "./demo-posts.ts";
import { DEMO_CHANNELS, demoHandle, demoPost, STEP_MS, stepAt } from "./demo-posts.ts";

/** Steps for which the fake messenger keeps updates: an hour. */
const KEPT_STEPS = 720;
/** Steps before the first request, so that something is there at once. */
const FIRST_STEPS = 6;
/** How long it posts: its posts are not deleted, and nobody wants a million of them. */
const POSTS_FOR_MS = 24 * 60 * 60 * 1000;

/** A token that says when the demonstration began. */
export const telegramDemoToken = (nowMs: number): string => `${Math.floor(nowMs / 1000)}:demo`;

/** Telegram's Bot API as a bot in three channels sees it, without Telegram. */
export function createTelegramDemo(clock: Clock): CallApi {
  return async ({ url, signal }) => {
    const { pathname, searchParams } = new URL(url);
    const [, token = "", method = ""] = pathname.split("/");
    const chat = DEMO_CHANNELS.findIndex(
      (_, at) => String(chatId(at)) === searchParams.get("chat_id"),
    );
    if (method === "getMe") return answer({ id: 1, is_bot: true, username: "kanalog_demo_bot" });
    if (method === "getChat")
      return answer({ ...chatOf(chat), description: DEMO_CHANNELS[chat]?.description });
    if (method === "getChatMemberCount") {
      return answer(DEMO_CHANNELS[chat]?.subscribersAt(clock.now()) ?? 0);
    }
    const untilMs = Number(/\d+/.exec(token)?.[0]) * 1000 + POSTS_FOR_MS;
    const offset = Number(searchParams.get("offset") ?? 0);
    const limit = Number(searchParams.get("limit"));
    const waitUntilMs = clock.now() + Number(searchParams.get("timeout")) * 1000;
    let updates = updatesFrom(offset, limit, clock.now(), untilMs);
    while (updates.length === 0 && clock.now() < waitUntilMs && !signal.aborted) {
      const nextMs = (stepAt(clock.now()) + 1) * STEP_MS;
      await clock.sleep(Math.min(nextMs, waitUntilMs) - clock.now(), signal);
      updates = updatesFrom(offset, limit, clock.now(), untilMs);
    }
    return answer(updates);
  };
}

function answer(result: unknown): ApiAnswer {
  return { status: 200, json: { ok: true, result }, retryAfterMs: null };
}

const chatId = (channel: number): number => -1_009_990_000_001 - channel;

function chatOf(channel: number) {
  const { title } = DEMO_CHANNELS[channel] ?? {};
  return { id: chatId(channel), type: "channel", title, username: demoHandle(channel, HOST) };
}

function updatesFrom(offset: number, limit: number, nowMs: number, untilMs: number): object[] {
  const last = stepAt(Math.min(nowMs, untilMs));
  const first = offset === 0 ? last - FIRST_STEPS : Math.max(offset, last - KEPT_STEPS);
  const steps = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  return steps.slice(0, limit).map(updateOf);
}

/** Most steps bring a post; every sixth edits the one three before it, and every tenth counts reactions. */
function updateOf(step: number): object {
  const update_id = step;
  if (isEdit(step)) {
    const edited = demoPost(step - 3, HOST, true);
    const message = { ...messageOf(edited), edit_date: Math.floor((step * STEP_MS) / 1000) };
    return { update_id, edited_channel_post: message };
  }
  if (isReaction(step)) {
    const { number, channel } = demoPost(step - 1, HOST);
    const total_count = 1 + (step % 50);
    const reactions = [{ type: { type: "emoji", emoji: "👍" }, total_count }];
    return {
      update_id,
      message_reaction_count: { chat: chatOf(channel), message_id: number, reactions },
    };
  }
  return { update_id, channel_post: messageOf(demoPost(step, HOST)) };
}

const HOST = "t.me";
const isEdit = (step: number): boolean => step % 6 === 5;
const isReaction = (step: number): boolean => step % 10 === 1 && !isEdit(step) && !isEdit(step - 1);

function messageOf({ number, channel, publishedAt, text, links, hasPhoto }: DemoPost) {
  const entities = links.map(({ target, ...place }) => ({
    ...place,
    type: "text_link",
    url: target,
  }));
  const content = hasPhoto
    ? { photo: [{ file_id: "demo" }], caption: text, caption_entities: entities }
    : { text, entities };
  const date = Math.floor(publishedAt / 1000);
  return { message_id: number, date, chat: chatOf(channel), ...content };
}
