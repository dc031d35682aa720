import { type Database, statement } from "../../../db/database.ts";

/** Written in SQL, since the join must begin with what was read; drizzle knows no table of posts either. */
const OLDEST = {
  read_posts: `
    SELECT p.read_at AS readAt FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id
    ORDER BY r.sequence LIMIT 1`,
  alert_posts: `
    SELECT p.read_at AS readAt FROM alert_posts r CROSS JOIN posts p ON p.id = r.post_id
    ORDER BY r.sequence LIMIT 1`,
};

/** When the post that waits longest was read, epoch milliseconds; null where none waits. */
export function oldestReadAt(db: Database, outbox: keyof typeof OLDEST): number | null {
  return statement<{ readAt: number }>(db, OLDEST[outbox]).get()?.readAt ?? null;
}
