import { type Database, statement } from "../../../db/database.ts";

/** In SQL, since of posts the catalog alone has a table, and the join must begin with what was read. */
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
