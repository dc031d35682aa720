import { type Database, statement } from "../../../db/database.ts";

/** Queues of posts: for webhooks that watch channels, and for alerts. */
export type PostQueue = "read_posts" | "alert_posts";

/**
 * When the post that waits longest in a queue was read, in epoch milliseconds; null if none waits. Raw
 * SQL, because the join must start with the queue, and drizzle has no table of posts.
 */
export function oldestReadAt(db: Database, queue: PostQueue): number | null {
  const sql = `SELECT p.read_at AS readAt FROM ${queue} r CROSS JOIN posts p ON p.id = r.post_id
    ORDER BY r.sequence LIMIT 1`;
  return statement<{ readAt: number }>(db, sql).get()?.readAt ?? null;
}
