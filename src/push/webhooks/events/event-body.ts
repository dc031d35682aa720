import type { PostView } from "../../../catalog/posts/post.ts";
import type { JsonText } from "../../../values/json-text.ts";
import { formatInstant } from "../../../values/moscow-time.ts";

/** Specification, section 6. */
export const EVENT_KINDS = ["post.created", "ping"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What an event tells, in the OpenAPI document. */
export const EVENT_SUMMARIES: Record<EventKind, string> = {
  "post.created": "New posts of the channels that a webhook watches",
  ping: "A test, with no posts",
};

/** What becomes of an event that is to be delivered. */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The JSON body of an event (specification, section 6), from posts that are JSON text already. */
export function eventBody(
  event: EventKind,
  webhookId: number,
  createdAtMs: number,
  posts: readonly JsonText<PostView>[],
): string {
  const createdAt = formatInstant(createdAtMs);
  return `{"event":"${event}","webhook":${webhookId},"created_at":"${createdAt}","posts":[${posts.join(",")}]}`;
}
