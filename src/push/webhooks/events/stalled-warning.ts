import type { Database } from "../../../db/database.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { anyAlert } from "../alerts/alerts.store.ts";
import { anyWebhook } from "../manage/webhooks.store.ts";
import { oldestReadAt, type PostQueue } from "./oldest-read.store.ts";

/** How long posts may wait beyond the time between batches; those of the largest import take about 20 s. */
const STALLED_AFTER_MS = 2 * 60 * 1000;

/** Warning in `/readyz` while posts are not being put into events; otherwise null. */
export async function stalledWarning(
  db: Database,
  nowMs: number,
  batchMs: number,
): Promise<string | null> {
  const stalled = (await anyWebhook(db)) ? stalledSince(db, "read_posts", nowMs, batchMs) : null;
  return stalled === null ? null : `Posts read at ${stalled} are not cut into events yet.`;
}

/** Warning in `/readyz` while posts are not being matched with alerts; otherwise null. */
export async function stalledAlertsWarning(
  db: Database,
  nowMs: number,
  batchMs: number,
): Promise<string | null> {
  const stalled = (await anyAlert(db)) ? stalledSince(db, "alert_posts", nowMs, batchMs) : null;
  return stalled === null ? null : `Posts read at ${stalled} are not matched with alerts yet.`;
}

/** When the first waiting post was read, as text, if it has waited too long; else null. */
function stalledSince(
  db: Database,
  queue: PostQueue,
  nowMs: number,
  batchMs: number,
): string | null {
  const readAt = oldestReadAt(db, queue);
  if (readAt === null || nowMs - readAt <= batchMs + STALLED_AFTER_MS) return null;
  return formatInstant(readAt);
}
