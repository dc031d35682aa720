import { and, lt, lte } from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { change, eqGiven, given } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { readPosts } from "./events.table.ts";

/**
 * Posts that were read, each once for each webhook that watches its channel. The joins are nested as they
 * stand: with the order left to it, SQLite began with all watched channels.
 */
const READ = `
  SELECT r.sequence, wc.webhook_id AS webhookId, octet_length(p.text) AS bytes
  FROM read_posts r
    CROSS JOIN posts p ON p.id = r.post_id
    LEFT JOIN webhook_channels wc ON wc.channel_id = p.channel_id
  ORDER BY r.sequence`;

/** A post that was read, and a webhook that watches its channel; null: none does any more. */
interface WatchedPost {
  sequence: number;
  webhookId: number | null;
  /** Length of the post's text. */
  bytes: number;
}

/** The oldest first, row by row: meanwhile the connection takes no other statement. */
export function readWatchedPosts(db: Database): Iterable<WatchedPost> {
  return statement<WatchedPost>(db, READ).iterate();
}

const forget = change((db) => db.delete(readPosts).where(lte(readPosts.sequence, given("last"))));

/** Forgets posts up to a sequence: those of a part whose webhooks have all been cut. */
export async function forgetReadPosts(tx: Transaction, last: number): Promise<void> {
  await forget(tx).run({ last });
}

/**
 * The posts among those wanted that a webhook gets, oldest first: of a channel that it watches and that
 * is public, read since the webhook was created or enabled and since it watches the channel, published
 * in the last two days. A channel that is being merged is hidden already, and its posts are the other's
 * in a moment. Each join finds one row by its key, in the order in which they stand.
 */
const MATCHES = `
  SELECT p.id
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

/** The numbers of the posts. */
export function selectMatches(
  db: Database,
  {
    webhookId,
    sequences,
    freshFrom,
  }: { webhookId: number; sequences: readonly number[]; freshFrom: number },
): number[] {
  const matches = statement<{ id: number }>(db, MATCHES);
  return matches
    .all({ webhookId, sequences: JSON.stringify(sequences), freshFrom })
    .map(({ id }) => id);
}

const moveOn = change((db) =>
  db
    .update(webhooks)
    .set({ sinceSequence: given("last") })
    .where(and(eqGiven(webhooks.id, "webhookId"), lt(webhooks.sinceSequence, given("last")))),
);

/** Has the webhook get only posts read after a sequence from now on. */
export async function moveWebhookOn(
  tx: Transaction,
  webhookId: number,
  last: number,
): Promise<void> {
  await moveOn(tx).run({ webhookId, last });
}
