import { and, eq, lt, lte } from "drizzle-orm";
import { type Database, statement } from "../../../db/database.ts";
import { change } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { readPosts } from "./due-work.store.ts";

/**
 * Posts in the queue, once for each webhook that watches their channel. CROSS JOIN fixes the order of the
 * joins: otherwise SQLite starts with all watched channels.
 */
const READ = `
  SELECT r.sequence, wc.webhook_id AS webhookId, octet_length(p.text) AS bytes
  FROM read_posts r
    CROSS JOIN posts p ON p.id = r.post_id
    LEFT JOIN webhook_channels wc ON wc.channel_id = p.channel_id
  ORDER BY r.sequence`;

/** A queued post, and a webhook that watches its channel. */
interface WatchedPost {
  sequence: number;
  /** Null if no webhook watches the channel any more. */
  webhookId: number | null;
  /** Length of the post's text in UTF-8. */
  bytes: number;
}

/**
 * Queued posts in the order in which they were read. Read lazily: until the iteration ends, the connection
 * can run no other statement.
 */
export function readWatchedPosts(db: Database): Iterable<WatchedPost> {
  return statement<WatchedPost>(db, READ).iterate();
}

/** Removes queued posts up to a sequence. */
export const forgetReadPosts = change((db, { last }: { last: number }) =>
  db.delete(readPosts).where(lte(readPosts.sequence, last)),
).run;

/**
 * Those of the given posts that a webhook gets, oldest first: of a public channel that it watches, read
 * since the webhook was created or enabled and since it began watching the channel, and published within
 * the last two days. A channel being merged is already hidden; its posts count as the other channel's. Each
 * join, made in the written order, finds one row by its key.
 */
const MATCHES = `
  SELECT p.id, p.channel_id AS channelId
  FROM webhooks w
    CROSS JOIN json_each(@sequences) wanted
    CROSS JOIN read_posts r ON r.sequence = wanted.value AND r.sequence > w.since_sequence
    CROSS JOIN posts p ON p.id = r.post_id
    CROSS JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.webhook_id = w.id
      AND wc.since_sequence < r.sequence
    CROSS JOIN channels c ON c.id = p.channel_id AND (c.is_public = 1 OR EXISTS (
      SELECT 1 FROM removed_channels m CROSS JOIN channels i ON i.id = m.into_id
      WHERE m.id = c.id AND i.is_public = 1))
  WHERE w.id = @webhookId AND w.disabled_reason = '' AND p.published_at >= @freshFrom
  ORDER BY p.published_at, p.id`;

/**
 * Numbers of the posts that a webhook gets, as `MATCHES` says.
 * @param served as `servedChannels`
 */
export function selectMatches(
  db: Database,
  of: { webhookId: number; sequences: readonly number[]; freshFrom: number },
  served: ReadonlySet<number> | null,
): number[] {
  return statement<{ id: number; channelId: number }>(db, MATCHES)
    .all({ ...of, sequences: JSON.stringify(of.sequences) })
    .filter(({ channelId }) => served === null || served.has(channelId))
    .map(({ id }) => id);
}

/** Advances a webhook: it only gets posts after a sequence. */
export const advanceWebhook = change(
  (db, { webhookId, last }: { webhookId: number; last: number }) =>
    db
      .update(webhooks)
      .set({ sinceSequence: last })
      .where(and(eq(webhooks.id, webhookId), lt(webhooks.sinceSequence, last))),
).run;
