import { selectOrganization } from "../../../customers/accounts/accounts.store.ts";
import { named, tellOperator } from "../../../customers/operator-events/operator-events.store.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { inParts, inSlice, inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { onOneLine } from "../../../ports/mail.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { DAY_MS, formatInstant } from "../../../values/moscow-time.ts";
import { mailManagers, mailStaff, type Notice, noticeMail } from "../../mail/notices.ts";
import { type AlertWork, createAlertTurns } from "../alerts/push-alerts.ts";
import { isAttemptDue } from "../delivery/deliveries.store.ts";
import type { Sender } from "../delivery/sender.ts";
import { fitRows, selectChanging } from "../manage/watched-channels.store.ts";
import { anyWebhook, disable, selectWebhook, updateWebhook } from "../manage/webhooks.store.ts";
import type { Webhook } from "../manage/webhooks.table.ts";
import { cutEvents, nextPart, type Part, type PostTexts } from "./cut-events.ts";
import {
  forgetReadPosts,
  isAnyFailingSince,
  readTimes,
  selectFailing,
  updateTimes,
} from "./due-work.store.ts";
import { isHeartbeatDue, noteHeartbeat } from "./heartbeat.ts";
import { deliverOperatorEvents, isOperatorWorkDue } from "./operator-deliveries.ts";
import { deadQueues, emptyQueues } from "./served.ts";

/** A webhook that fails for this long is disabled (specification, section 6). */
const FAILING_MAX_MS = DAY_MS;
/** How much of that time may have passed without any process running. */
const DOWN_MAX_MS = 60 * 60 * 1000;

/**
 * Disables webhooks that have failed for a day. If no process was running for more than an hour of it, the
 * attempts that became due meanwhile are made first.
 * @returns the numbers of the disabled webhooks
 */
async function disableFailed(db: Database, clock: Clock): Promise<number[]> {
  if ((await failing(db, clock.now())).length === 0) return [];
  const disabled = await inTransaction(db, clock, "disable-failed", async (tx) => {
    const nowMs = clock.now();
    const failed = await failing(tx, nowMs);
    for (const id of failed) await disableForFailures(tx, id, nowMs);
    return failed;
  });
  await emptyQueues(db, clock, disabled);
  return disabled;
}

/** Numbers of the webhooks to disable. */
async function failing(db: Database, nowMs: number): Promise<number[]> {
  const { overdueUntil } = await readTimes(db);
  const failingSince = nowMs - FAILING_MAX_MS;
  return selectFailing(db, { failingSince, downMaxMs: DOWN_MAX_MS, overdueUntil });
}

/** Disables a webhook, and informs its owners and administrators, or staff, by mail. */
async function disableForFailures(tx: Transaction, id: number, nowMs: number): Promise<void> {
  const webhook = await selectWebhook(tx, { id });
  if (webhook === undefined) return;
  await disable(tx, id, "failures", nowMs);
  const { organizationId, url, lastError } = webhook;
  if (organizationId === null) {
    await mailStaff(tx, nowMs, operatorMail(webhook));
    return;
  }
  const organization = await selectOrganization(tx, { id: organizationId });
  if (organization === undefined) return;
  await mailManagers(tx, nowMs, organizationId, disabledMail(webhook, organization.name));
  await tellOperator(tx, nowMs, "webhook.disabled", {
    organization: named(organization),
    disabled_webhook: { id, url, last_error: lastError },
  });
}

/** The mail about a disabled webhook, without recipients. */
export function disabledMail(webhook: Webhook, organizationName: string): Notice {
  const of = { id: webhook.id, organization: onOneLine(organizationName) };
  const subject = message("webhookDisabledSubject", of);
  return noticeMail(subject, message("webhookDisabledMail", of), factsOf(webhook));
}

/** The same about one of the operator's own. */
function operatorMail(webhook: Webhook): Notice {
  const { id } = webhook;
  const subject = message("operatorWebhookDisabledSubject", { id });
  return noticeMail(subject, message("operatorWebhookDisabledMail", { id }), factsOf(webhook));
}

function factsOf({ url, lastError, lastSuccessAt }: Webhook): [Message, string][] {
  return [
    [message("address"), url],
    [message("lastError"), lastError],
    [message("lastSuccess"), lastSuccessAt === null ? "—" : formatInstant(lastSuccessAt)],
  ];
}

/** Webhook work that runs on a timer, on the thread that writes it. */
export const webhookWork = { startDueWork, cutPart, endPart, disableFailed };

/** Whether there may be work. Checked every second, so it must cost next to nothing. */
async function isWorkDue(db: Database, nowMs: number, batchMs: number): Promise<boolean> {
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

export type Push = ReturnType<typeof createPush>;

/**
 * Runs the work of webhooks: `tick` is called every second.
 * @param batchMs time between two batches, each of which puts the posts read since into events
 * @param address as for `mailDigest`
 */
export function createPush(
  db: Database,
  work: Calls<typeof webhookWork> & AlertWork,
  sender: Pick<Sender, "pump" | "idle">,
  batchMs: number,
  address: string | null,
  { clock, log }: Pick<Ports, "clock" | "log">,
) {
  const alerts = createAlertTurns(work, clock, address);

  /** Works in steps, so that the sender's transactions on the same thread get in between. */
  async function doWork(): Promise<void> {
    const { isBatch, part: first } = await work.startDueWork({ batchMs });
    let part = first;
    while (part !== null) {
      const { last } = part;
      let { wanted } = part;
      while (wanted.length > 0) wanted = wanted.slice(await work.cutPart({ last, wanted }));
      part = await work.endPart({ last });
      // Sends finished events while the next part is being processed.
      if (part !== null && (await isAttemptDue(db, { nowMs: clock.now() }))) {
        void sender.pump().catch(() => {});
      }
    }
    // Alerts come after the posts of watched channels, and so never delay them.
    if (isBatch || alerts.isLeft()) await alerts.turn();
    for (const webhook of await work.disableFailed()) {
      log.warn({ webhook }, "a webhook was disabled: not a single delivery succeeded for a day");
    }
  }

  /**
   * Starts the attempts that are due, which continue after it settles. Never throws.
   * @param fillsQueue whether to put posts into events too, which one process of all nodes does
   */
  async function tick(fillsQueue = true): Promise<void> {
    try {
      if (fillsQueue && (await isWorkDue(db, clock.now(), batchMs))) await doWork();
      else if (fillsQueue && alerts.isLeft()) await alerts.turn();
      // The sender logs its own failures.
      if (await isAttemptDue(db, { nowMs: clock.now() })) await sender.pump().catch(() => {});
    } catch (error) {
      log.warn({ err: error }, "due webhook work failed; it will be retried");
    }
  }

  return {
    tick,
    /** As `tick`, but settles once no attempt is in progress. */
    async runDue(fillsQueue = true): Promise<void> {
      await tick(fillsQueue);
      await sender.idle();
    },
  };
}
