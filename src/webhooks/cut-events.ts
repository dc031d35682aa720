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
/** Read posts of one transaction, for which other writers wait. */
const READ_POSTS_MAX = 1_000;

interface Match {
  webhookId: number;
  organizationId: number;
  postId: number;
}

/**
 * The posts that were read for a webhook: of a channel it watches and that is public, read since the
 * webhook was created or enabled and since it watches the channel, published in the last two days.
 */
const MATCHES = `
  SELECT w.id AS webhookId, w.organization_id AS organizationId, p.id AS postId
  FROM read_posts r
    JOIN posts p ON p.id = r.post_id
    JOIN channels c ON c.id = p.channel_id AND c.is_public = 1
    JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.since_sequence < r.sequence
    JOIN webhooks w ON w.id = wc.webhook_id AND w.since_sequence < r.sequence
  WHERE r.sequence <= @last AND w.disabled_reason = '' AND p.published_at >= @freshFrom
  ORDER BY w.id, p.published_at, p.id`;

/**
 * Cuts a part of the posts that were read into events, in the caller's transaction: in it the posts
 * leave `read_posts`, so that each becomes an event at most once.
 * @returns whether there are more
 */
export function cutEvents(db: Database, nowMs: number): boolean {
  const last = lastOfPart(db);
  if (last === null) return false;
  const matches = statement<Match>(db, MATCHES).all({ last, freshFrom: nowMs - FRESH_MS });
  const texts = selectPostTexts(db, new Set(matches.map(({ postId }) => postId)));
  const byWebhook = Map.groupBy(matches, ({ webhookId }) => webhookId);
  for (const [webhookId, posts] of byWebhook) {
    const [{ organizationId }] = posts as [Match];
    if (!isServed(db, organizationId, nowMs)) continue;
    for (const postIds of cut(posts, texts)) {
      const body = eventBody(
        "post.created",
        webhookId,
        nowMs,
        postIds.map((id) => texts.get(id) as JsonText<PostView>),
      );
      addDelivery(db, { webhookId, event: "post.created", postIds, body, nowMs });
    }
  }
  statement(db, "DELETE FROM read_posts WHERE sequence <= ?").run(last);
  return statement(db, "SELECT 1 FROM read_posts LIMIT 1").get() !== undefined;
}

/** The last sequence of the next part, or null where nothing was read. */
function lastOfPart(db: Database): number | null {
  return (
    statement<{ last: number | null }>(
      db,
      "SELECT max(sequence) AS last FROM (SELECT sequence FROM read_posts ORDER BY sequence LIMIT ?)",
    ).get(READ_POSTS_MAX)?.last ?? null
  );
}

function cut(posts: readonly Match[], texts: ReadonlyMap<number, JsonText<PostView>>): number[][] {
  const events: number[][] = [];
  let characters = 0;
  for (const { postId } of posts) {
    const length = texts.get(postId)?.length ?? 0;
    const current = events.at(-1);
    if (
      current === undefined ||
      current.length >= EVENT_POSTS_MAX ||
      characters + length > EVENT_CHARACTERS_MAX
    ) {
      events.push([postId]);
      characters = length;
    } else {
      current.push(postId);
      characters += length;
    }
  }
  return events;
}
