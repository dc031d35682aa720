import { type Database, statement } from "../../../db/database.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { anyWebhook } from "../manage/webhooks.store.ts";

/** Posts are cut within a batch and this; the largest import's take some twenty seconds. */
const STALLED_AFTER_MS = 2 * 60 * 1000;

/**
 * The oldest post that waits. In SQL, since the catalog alone has a table of posts, and the join must
 * begin with what was read.
 */
const OLDEST = `
  SELECT p.read_at AS readAt FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id
  ORDER BY r.sequence LIMIT 1`;

/** The warning in `/readyz` where posts that were read are not cut into events; null where they are. */
export async function stalledWarning(
  db: Database,
  nowMs: number,
  batchMs: number,
): Promise<string | null> {
  if (!(await anyWebhook(db))) return null;
  const readAt = statement<{ readAt: number }>(db, OLDEST).get()?.readAt;
  if (readAt === undefined || nowMs - readAt <= batchMs + STALLED_AFTER_MS) return null;
  return `Posts read at ${formatInstant(readAt)} are not cut into events yet.`;
}
