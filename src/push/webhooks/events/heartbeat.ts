import type { Database, Transaction } from "../../../db/database.ts";
import { clocksApartMs } from "../../../db/shared-rows.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { setBackMails } from "../../mail/mails.store.ts";
import { anyAlert } from "../alerts/alerts.store.ts";
import { anyWebhook } from "../manage/webhooks.store.ts";
import { oldestReadAt, type PostQueue } from "./backlog.store.ts";
import {
  addDownTime,
  putDue,
  readTimes,
  selectOverdue,
  setBack,
  updateTimes,
  type WebhookTimes,
} from "./due-work.store.ts";

/** Interval of heartbeats, shared by all processes. */
const HEARTBEAT_MS = 30_000;
/** Time without a heartbeat that shows that no process was running. */
const GAP_MS = 3 * HEARTBEAT_MS;
/** Time over which attempts that became due in such a gap are spread. */
const SPREAD_MS = 45_000;
/** Longest pause between two of those attempts. */
const SPREAD_STEP_MAX_MS = 1_000;
/** Setting the clock back by less changes nothing. */
const SET_BACK_MS = 1_000;

/**
 * Whether a heartbeat is due, or the clock was set back. The last heartbeat may be another node's: what
 * their clocks may differ by is neither a clock that was set back nor a gap.
 */
export function isHeartbeatDue(db: Database, { lookedAt }: WebhookTimes, nowMs: number): boolean {
  if (lookedAt === null || nowMs >= lookedAt + HEARTBEAT_MS) return true;
  return nowMs < lookedAt - SET_BACK_MS - clocksApartMs(db);
}

/**
 * Records a heartbeat, if one is due, in the caller's transaction; corrects due times after a gap, or if
 * the clock was set back. Must precede anything that writes a due time in the transaction.
 */
export async function noteHeartbeat(tx: Transaction, nowMs: number): Promise<void> {
  const before = await readTimes(tx);
  if (!isHeartbeatDue(tx, before, nowMs)) return;
  const gapMs = nowMs - (before.lookedAt ?? nowMs);
  if (gapMs < 0) {
    await setBack(tx, -gapMs);
    await setBackMails(tx, -gapMs);
  }
  if (gapMs > GAP_MS + clocksApartMs(tx)) {
    await addDownTime(tx, nowMs, gapMs);
    await spreadOverdue(tx, nowMs);
  }
  await updateTimes(tx, { lookedAt: nowMs });
}

/** Most due times to move; deliveries beyond that wait for capacity anyway. */
const SPREAD_DELIVERIES_MAX = 2_000;

/** Spreads attempts that became due in a gap, so that they are not all made at once. */
async function spreadOverdue(tx: Transaction, nowMs: number): Promise<void> {
  const overdue = await selectOverdue(tx, nowMs, SPREAD_DELIVERIES_MAX);
  const stepMs = Math.min(SPREAD_STEP_MAX_MS, SPREAD_MS / overdue.length);
  for (const [place, id] of overdue.entries()) {
    await putDue(tx, { id, dueAt: nowMs + Math.floor(place * stepMs) });
  }
  await updateTimes(tx, { overdueUntil: nowMs + SPREAD_MS });
}

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
