import type { PostView } from "../../../catalog/posts/post.ts";
import { selectPostTexts } from "../../../catalog/posts/posts.store.ts";
import { type Database, statement } from "../../../db/database.ts";
import type { JsonText } from "../../../values/json-text.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { addDelivery } from "../delivery/deliveries.store.ts";
import { eventBody } from "./event-body.ts";
import { isServed } from "./served.ts";

/**
 * Posts older than this are not sent (specification, section 6). A test holds the trigger that notes
 * them (migration 002) to the same age.
 */
export const FRESH_MS = 2 * DAY_MS;
/** Specification, section 6. */
const EVENT_POSTS_MAX = 100;
/** An event ends where its posts reach this size, since each is held in memory while it is sent. */
const EVENT_CHARACTERS_MAX = 1_000_000;

/**
 * A part ends where it has so many posts, bytes of their texts, or posts times webhooks: one webhook's
 * share of it is cut in one transaction, and the rest of it is told from thread to thread.
 */
const PART_POSTS_MAX = 500;
const PART_BYTES_MAX = 400_000;
const PART_WANTED_MAX = 10_000;

/** Some of the posts that were read, to be cut into events webhook by webhook. */
export interface Part {
  /** The sequence of its last post. */
  last: number;
  wanted: Wanted[];
}

/** Posts of a part that a webhook may want, by their sequences. */
export interface Wanted {
  webhookId: number;
  sequences: number[];
}

/**
 * Each post that was read, once for each webhook that watches its channel. The joins are nested as they
 * stand: with the order left to it, SQLite began with all watched channels.
 */
const READ = `
  SELECT r.sequence, wc.webhook_id AS webhookId, octet_length(p.text) AS bytes
  FROM read_posts r
    CROSS JOIN posts p ON p.id = r.post_id
    LEFT JOIN webhook_channels wc ON wc.channel_id = p.channel_id
  ORDER BY r.sequence`;

/** The oldest posts that were read and are not cut yet, or null where there are none. */
export function nextPart(db: Database): Part | null {
  const wanted = new Map<number, number[]>();
  let [last, posts, bytes, pairs] = [0, 0, 0, 0];
  const read = statement<{ sequence: number; webhookId: number | null; bytes: number }>(db, READ);
  for (const { sequence, webhookId, bytes: textBytes } of read.iterate()) {
    if (sequence !== last) {
      const isFull = bytes + textBytes > PART_BYTES_MAX || pairs >= PART_WANTED_MAX;
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

/** Forgets the posts of a part whose webhooks have all been cut. */
export function endPart(db: Database, { last }: Pick<Part, "last">): void {
  statement(db, "DELETE FROM read_posts WHERE sequence <= ?").run(last);
}

/**
 * The posts among those wanted that a webhook gets, oldest first: of a channel that it watches and that
 * is public, read since the webhook was created or enabled and since it watches the channel, published
 * in the last two days. Each join finds one row by its key, in the order in which they stand.
 */
const MATCHES = `
  SELECT p.id
  FROM webhooks w
    CROSS JOIN json_each(@sequences) wanted
    CROSS JOIN read_posts r ON r.sequence = wanted.value AND r.sequence > w.since_sequence
    CROSS JOIN posts p ON p.id = r.post_id
    CROSS JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.webhook_id = w.id
      AND wc.since_sequence < r.sequence
    CROSS JOIN channels c ON c.id = p.channel_id AND c.is_public = 1
  WHERE w.id = @webhookId AND w.disabled_reason = '' AND p.published_at >= @freshFrom
  ORDER BY p.published_at, p.id`;

/** Posts as JSON text that were read in this transaction, since several webhooks want the same. */
export type PostTexts = Map<number, JsonText<PostView>>;

/**
 * Cuts a webhook's posts of a part into events, in the caller's transaction: by it the webhook is
 * past these posts, so that each becomes an event at most once, whoever cuts.
 */
export function cutEvents(
  db: Database,
  { webhookId, sequences }: Wanted,
  last: number,
  nowMs: number,
  texts: PostTexts,
): void {
  const webhook = statement<{ organizationId: number }>(
    db,
    "SELECT organization_id AS organizationId FROM webhooks WHERE id = ?",
  ).get(webhookId);
  if (webhook === undefined) return;
  if (isServed(db, webhook.organizationId, nowMs)) {
    const matches = statement<{ id: number }>(db, MATCHES).all({
      webhookId,
      sequences: JSON.stringify(sequences),
      freshFrom: nowMs - FRESH_MS,
    });
    for (const { postIds, posts } of cut(textsOf(db, matches, texts))) {
      const body = eventBody("post.created", webhookId, nowMs, posts);
      addDelivery(db, { webhookId, event: "post.created", postIds, body, nowMs });
    }
  }
  statement(
    db,
    "UPDATE webhooks SET since_sequence = @last WHERE id = @webhookId AND since_sequence < @last",
  ).run({ webhookId, last });
}

function textsOf(
  db: Database,
  matches: readonly { id: number }[],
  known: PostTexts,
): [id: number, text: JsonText<PostView>][] {
  const unknown = matches.flatMap(({ id }) => (known.has(id) ? [] : id));
  for (const [id, text] of selectPostTexts(db, unknown)) known.set(id, text);
  return matches.map(({ id }) => [id, known.get(id) as JsonText<PostView>]);
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
