import type { PostView } from "../../../catalog/posts/post.ts";
import { selectPostTexts } from "../../../catalog/posts/posts.store.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { JsonText } from "../../../values/json-text.ts";
import { DAY_MS, formatInstant } from "../../../values/moscow-time.ts";
import { addDelivery } from "../delivery/deliveries.store.ts";
import { servedChannels } from "../manage/watched-channels.store.ts";
import { selectWebhook } from "../manage/webhooks.store.ts";
import { advanceWebhook, readWatchedPosts, selectMatches } from "./due-work.store.ts";
import { isServed } from "./served.ts";

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

/**
 * Posts older than this are not sent (specification, section 6), and events not sent again. The trigger that
 * queues posts (migration 002) has the same age; a test compares them.
 */
export const FRESH_DAYS = 2;
export const FRESH_MS = FRESH_DAYS * DAY_MS;
/** Most posts in an event (specification, section 6). */
const EVENT_POSTS_MAX = 100;
/**
 * Most characters of posts in an event, which is in memory while being sent. A single post may have more.
 */
const EVENT_CHARACTERS_MAX = 1_000_000;

/**
 * Limits of a part: posts, bytes of their texts, and pairs of a post and a webhook. One webhook's share is
 * processed in one transaction, and the rest of the part is passed between threads.
 */
const PART_POSTS_MAX = 500;
const PART_BYTES_MAX = 400_000;
const PART_PAIRS_MAX = 10_000;

/** Some of the queued posts, to be put into events webhook by webhook. */
export interface Part {
  /** Sequence of its last post. */
  last: number;
  wanted: Wanted[];
}

/** Posts of a part that a webhook may want, by sequence. */
interface Wanted {
  webhookId: number;
  sequences: number[];
}

/**
 * The oldest queued posts, up to the limits of a part; null if there are none. Synchronous, because the
 * connection can run no other statement until all rows are read.
 */
export function nextPart(db: Database): Part | null {
  const wanted = new Map<number, number[]>();
  let last = 0;
  let posts = 0;
  let bytes = 0;
  let pairs = 0;
  for (const { sequence, webhookId, bytes: textBytes } of readWatchedPosts(db)) {
    if (sequence !== last) {
      const isFull = bytes + textBytes > PART_BYTES_MAX || pairs >= PART_PAIRS_MAX;
      if (posts > 0 && (posts >= PART_POSTS_MAX || isFull)) break;
      last = sequence;
      posts += 1;
      bytes += textBytes;
    }
    if (webhookId === null) continue;
    pairs += 1;
    const sequences = wanted.get(webhookId);
    if (sequences === undefined) wanted.set(webhookId, [sequence]);
    else sequences.push(sequence);
  }
  if (posts === 0) return null;
  return { last, wanted: [...wanted].map(([webhookId, of]) => ({ webhookId, sequences: of })) };
}

/** JSON texts by post number, read once per transaction, since several webhooks want the same posts. */
export type PostTexts = Map<number, JsonText<PostView>>;

/**
 * Puts a webhook's posts of a part into events, in the caller's transaction. The same transaction advances
 * the webhook past these posts, so that each becomes an event at most once, whichever process does it.
 */
export async function cutEvents(
  tx: Transaction,
  { webhookId, sequences }: Wanted,
  last: number,
  nowMs: number,
  texts: PostTexts,
): Promise<void> {
  const webhook = await selectWebhook(tx, { id: webhookId });
  if (webhook === undefined) return;
  if (await isServed(tx, webhook.organizationId, nowMs)) {
    const freshFrom = nowMs - FRESH_MS;
    const served = await servedChannels(tx, webhookId);
    const matches = selectMatches(tx, { webhookId, sequences, freshFrom }, served);
    for (const { postIds, posts } of eventsOf(tx, matches, texts)) {
      const body = eventBody("post.created", webhookId, nowMs, posts);
      await addDelivery(tx, { webhookId, event: "post.created", postIds, body, nowMs });
    }
  }
  await advanceWebhook(tx, { webhookId, last });
}

/** Splits posts, in the given order, into events with their JSON texts. */
export function eventsOf(db: Database, postIds: readonly number[], texts: PostTexts): Event[] {
  return cut(textsOf(db, postIds, texts));
}

function textsOf(
  db: Database,
  matches: readonly number[],
  known: PostTexts,
): [id: number, text: JsonText<PostView>][] {
  const unknown = matches.filter((id) => !known.has(id));
  for (const [id, text] of selectPostTexts(db, unknown)) known.set(id, text);
  return matches.map((id) => [id, known.get(id) as JsonText<PostView>]);
}

interface Event {
  postIds: number[];
  posts: JsonText<PostView>[];
}

function cut(posts: readonly [id: number, text: JsonText<PostView>][]): Event[] {
  const events: Event[] = [];
  let characters = 0;
  for (const [id, text] of posts) {
    const current = events.at(-1);
    if (
      current === undefined ||
      current.postIds.length >= EVENT_POSTS_MAX ||
      characters + text.length > EVENT_CHARACTERS_MAX
    ) {
      events.push({ postIds: [id], posts: [text] });
      characters = text.length;
    } else {
      current.postIds.push(id);
      current.posts.push(text);
      characters += text.length;
    }
  }
  return events;
}
