import { type Database, statement } from "../db/database.ts";
import type { JsonText } from "../json-text.ts";
import { DAY_MS } from "../moscow-time.ts";
import { type PostView, selectPostTexts } from "../posts/posts.store.ts";
import { addDelivery } from "./deliveries.store.ts";
import { eventBody } from "./event-body.ts";
import { isServed } from "./served.ts";

/** Posts older than this are not sent (specification, section 6). */
export const FRESH_MS = 2 * DAY_MS;
/** Specification, section 6. */
const EVENT_POSTS_MAX = 100;
/** An event ends where its posts reach this size, since each is held in memory while it is sent. */
const EVENT_CHARACTERS_MAX = 1_000_000;
/** Posts of one part. */
const PART_POSTS_MAX = 1_000;

/** Some of the posts that were read, to be cut into events webhook by webhook. */
export interface Part {
  /** The sequence of its last post. */
  last: number;
  /** The webhooks that may want some of its posts. */
  webhookIds: number[];
}

/** The oldest posts that were read and are not cut yet, or null where there are none. */
export function nextPart(db: Database): Part | null {
  const last =
    statement<{ last: number | null }>(
      db,
      "SELECT max(sequence) AS last FROM (SELECT sequence FROM read_posts ORDER BY sequence LIMIT ?)",
    ).get(PART_POSTS_MAX)?.last ?? null;
  if (last === null) return null;
  const watching = statement<{ id: number }>(
    db,
    `SELECT DISTINCT wc.webhook_id AS id
     FROM read_posts r
       JOIN posts p ON p.id = r.post_id
       JOIN webhook_channels wc ON wc.channel_id = p.channel_id
     WHERE r.sequence <= ? ORDER BY id`,
  ).all(last);
  return { last, webhookIds: watching.map(({ id }) => id) };
}

/** Forgets the posts of a part whose webhooks have all been cut. */
export function endPart(db: Database, { last }: Pick<Part, "last">): void {
  statement(db, "DELETE FROM read_posts WHERE sequence <= ?").run(last);
}

/**
 * The posts of a part for one webhook, oldest first: of a channel it watches and that is public,
 * read since the webhook was created or enabled and since it watches the channel, published in the
 * last two days.
 */
const MATCHES = `
  SELECT p.id
  FROM webhooks w
    CROSS JOIN read_posts r ON r.sequence > w.since_sequence AND r.sequence <= @last
    JOIN posts p ON p.id = r.post_id
    JOIN channels c ON c.id = p.channel_id AND c.is_public = 1
    JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.webhook_id = w.id
      AND wc.since_sequence < r.sequence
  WHERE w.id = @webhookId AND w.disabled_reason = '' AND p.published_at >= @freshFrom
  ORDER BY p.published_at, p.id`;

/**
 * Cuts a webhook's posts of a part into events, in the caller's transaction: by it the webhook is
 * past these posts, so that each becomes an event at most once, whoever cuts.
 */
export function cutEvents(db: Database, webhookId: number, last: number, nowMs: number): void {
  const webhook = statement<{ organizationId: number }>(
    db,
    "SELECT organization_id AS organizationId FROM webhooks WHERE id = ?",
  ).get(webhookId);
  if (webhook === undefined) return;
  if (isServed(db, webhook.organizationId, nowMs)) {
    const freshFrom = nowMs - FRESH_MS;
    const ids = statement<{ id: number }>(db, MATCHES)
      .all({ webhookId, last, freshFrom })
      .map(({ id }) => id);
    const texts = selectPostTexts(db, ids);
    for (const postIds of cut(texts)) {
      const posts = postIds.map((id) => texts.get(id) as JsonText<PostView>);
      const body = eventBody("post.created", webhookId, nowMs, posts);
      addDelivery(db, { webhookId, event: "post.created", postIds, body, nowMs });
    }
  }
  statement(
    db,
    "UPDATE webhooks SET since_sequence = @last WHERE id = @webhookId AND since_sequence < @last",
  ).run({ webhookId, last });
}

function cut(texts: ReadonlyMap<number, JsonText<PostView>>): number[][] {
  const events: number[][] = [];
  let characters = 0;
  for (const [id, { length }] of texts) {
    const current = events.at(-1);
    if (
      current === undefined ||
      current.length >= EVENT_POSTS_MAX ||
      characters + length > EVENT_CHARACTERS_MAX
    ) {
      events.push([id]);
      characters = length;
    } else {
      current.push(id);
      characters += length;
    }
  }
  return events;
}
