import type { Database } from "../../../db/database.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { anyAlert } from "../alerts/alerts.store.ts";
import { anyWebhook } from "../manage/webhooks.store.ts";
import { oldestReadAt, type PostQueue } from "./oldest-read.store.ts";

/** How long posts may wait beyond the time between batches; those of the largest import take about 20 s. */
const STALLED_AFTER_MS = 2 * 60 * 1000;

/** How to tell whether anybody waits for a queue's posts, and what is to be done with them. */
const QUEUES = {
  read_posts: { isNeeded: anyWebhook, work: "cut into events" },
  alert_posts: { isNeeded: anyAlert, work: "matched with alerts" },
};

/** Warning in `/readyz` while a queue's posts wait too long; otherwise null. */
export async function stalledWarning(
  db: Database,
  queue: PostQueue,
  nowMs: number,
  batchMs: number,
): Promise<string | null> {
  const { isNeeded, work } = QUEUES[queue];
  const readAt = (await isNeeded(db)) ? oldestReadAt(db, queue) : null;
  if (readAt === null || nowMs - readAt <= batchMs + STALLED_AFTER_MS) return null;
  return `Posts read at ${formatInstant(readAt)} are not ${work} yet.`;
}
