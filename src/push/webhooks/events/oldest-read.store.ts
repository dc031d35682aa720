import { type Database, statement } from "../../../db/database.ts";

/** Raw SQL, because the join must start with the queue, and drizzle has no table of posts. */
const OLDEST = {
  read_posts: `
    SELECT p.read_at AS readAt FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id
    ORDER BY r.sequence LIMIT 1`,
  alert_posts: `
    SELECT p.read_at AS readAt FROM alert_posts r CROSS JOIN posts p ON p.id = r.post_id
    ORDER BY r.sequence LIMIT 1`,
};

/** When the post that has waited longest was read, in epoch milliseconds; null if none is waiting. */
export function oldestReadAt(db: Database, outbox: keyof typeof OLDEST): number | null {
  return statement<{ readAt: number }>(db, OLDEST[outbox]).get()?.readAt ?? null;
}
