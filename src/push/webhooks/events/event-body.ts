import type { PostView } from "../../../catalog/posts/post.ts";
import type { JsonText } from "../../../values/json-text.ts";
import { formatInstant } from "../../../values/moscow-time.ts";

/** Names of events, as sent in `X-Service-Event` and stored (specification, section 6). */
export const EVENT_KINDS = ["post.created", "post.matched", "ping"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Summaries of events for the OpenAPI document. */
export const EVENT_SUMMARIES: Record<EventKind, string> = {
  "post.created": "New posts of the channels that a webhook watches",
  "post.matched": "New posts that match an alert",
  ping: "A test, with no posts",
};

/**
 * States of a delivery: an attempt is to come; an attempt succeeded; no more attempts come; or none come
 * because the webhook was disabled or the plan ended before.
 */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * JSON body of an event (specification, section 6), from posts that already are JSON text.
 * @param alert the alert that the posts match, for `post.matched`
 */
export function eventBody(
  event: EventKind,
  webhookId: number,
  createdAtMs: number,
  posts: readonly JsonText<PostView>[],
  alert?: { id: number; name: string },
): string {
  const createdAt = formatInstant(createdAtMs);
  const matched = alert === undefined ? "" : `"alert":${JSON.stringify(alert)},`;
  return `{"event":"${event}","webhook":${webhookId},"created_at":"${createdAt}",${matched}"posts":[${posts.join(",")}]}`;
}
