import type { Database } from "../../../db/database.ts";
import { inParts, inSlice, inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { fitRows, selectChanging } from "../manage/watched-channels.store.ts";
import { anyWebhook, updateWebhook } from "../manage/webhooks.store.ts";
import { forgetReadPosts } from "./cut-events.store.ts";
import { cutEvents, nextPart, type Part, type PostTexts } from "./cut-events.ts";
import { disableFailed, FAILING_MAX_MS } from "./disable-failed.ts";
import { deadQueues, emptyQueues } from "./drop-queue.ts";
import { isAnyFailingSince, readTimes, updateTimes } from "./due-work.store.ts";
import { isHeartbeatDue, noteHeartbeat } from "./heartbeat.ts";
import { deliverOperatorEvents, isOperatorWorkDue } from "./operator-deliveries.ts";

/** Webhook work that runs on a timer, on the thread that writes it. */
export const webhookWork = { startDueWork, cutPart, endPart, disableFailed };

/** Whether there may be work. Checked every second, so it must cost next to nothing. */
export async function isWorkDue(db: Database, nowMs: number, batchMs: number): Promise<boolean> {
  if (await isOperatorWorkDue(db, nowMs)) return true;
  if (!(await anyWebhook(db))) return false;
  const times = await readTimes(db);
  if (isHeartbeatDue(db, times, nowMs) || nowMs >= times.batchedAt + batchMs) return true;
  return isAnyFailingSince(db, { failingSince: nowMs - FAILING_MAX_MS });
}

/**
 * The first step: records a heartbeat, empties the queues of webhooks that get no events, finishes changes
 * of lists that a killed process began, delivers the operator's events, and starts a batch if one is due.
 * @returns whether a batch was started; and its first part of posts, null if none is queued
 */
export async function startDueWork(
  db: Database,
  clock: Clock,
  { batchMs }: { batchMs: number },
): Promise<{ isBatch: boolean; part: Part | null }> {
  await inTransaction(db, clock, "webhooks-look", (tx) => noteHeartbeat(tx, clock.now()));
  await endUnserved(db, clock);
  await finishLists(db, clock);
  await deliverOperatorEvents(db, clock);
  const isBatch = await inTransaction(db, clock, "webhooks-look", async (tx) => {
    const nowMs = clock.now();
    if (nowMs < (await readTimes(tx)).batchedAt + batchMs) return false;
    await updateTimes(tx, { batchedAt: nowMs });
    return true;
  });
  return { isBatch, part: isBatch ? nextPart(db) : null };
}

/**
 * Puts a part's posts into events, webhook by webhook, until the slice is over.
 * @returns how many webhooks are done
 */
export function cutPart(db: Database, clock: Clock, { wanted, last }: Part): Promise<number> {
  return inSlice(db, clock, "cut-events", async (tx, isOver) => {
    const nowMs = clock.now();
    await noteHeartbeat(tx, nowMs);
    const texts: PostTexts = new Map();
    let cut = 0;
    for (const one of wanted) {
      await cutEvents(tx, one, last, nowMs, texts);
      cut += 1;
      if (isOver()) break;
    }
    return cut;
  });
}

/**
 * Ends a part once all its webhooks are done: removes its posts from the queue.
 * @returns the next part, or null
 */
export async function endPart(
  db: Database,
  clock: Clock,
  { last }: Pick<Part, "last">,
): Promise<Part | null> {
  await inSlice(db, clock, "cut-events", (tx) => forgetReadPosts(tx, { last }));
  return nextPart(db);
}

async function finishLists(db: Database, clock: Clock): Promise<void> {
  await inParts(db, clock, "webhook-channels", async (tx) => {
    const id = await selectChanging(tx);
    if (id === null) return false;
    await fitRows(tx, id, () => true);
    return true;
  });
}

/**
 * Drops pending deliveries of webhooks that get no events. Such webhooks stop counting as failing, so that
 * they are not disabled for it.
 */
async function endUnserved(db: Database, clock: Clock): Promise<void> {
  const dead = await deadQueues(db, clock.now());
  if (dead.length === 0) return;
  await emptyQueues(db, clock, dead);
  await inTransaction(db, clock, "webhooks-look", async (tx) => {
    for (const id of await deadQueues(tx, clock.now())) {
      await updateWebhook(tx, id, { failingSince: null });
    }
  });
}
