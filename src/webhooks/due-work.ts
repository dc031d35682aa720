import { createAccountsStore } from "../accounts/accounts.store.ts";
import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { queueMail } from "../mail/mails.store.ts";
import { DAY_MS } from "../moscow-time.ts";
import type { Clock } from "../ports/clock.ts";
import { cutEvents, endPart, nextPart, type Part } from "./cut-events.ts";
import { deleteOldDeliveries } from "./deliveries.store.ts";
import { disabledMail } from "./disabled-mail.ts";
import { isLookDue, noteLook, readLook } from "./look.ts";
import { isServed } from "./served.ts";
import { anyWebhook, disable, dropQueue, selectWebhook, updateWebhook } from "./webhooks.store.ts";

/** A webhook that fails for so long is disabled (specification, section 6). */
const FAILING_MAX_MS = DAY_MS;
/** How much of that time may have passed without a process that would have made the attempts. */
const DOWN_MAX_MS = 60 * 60 * 1000;
/** Between two transactions of a long piece of work, so that other writers get in. */
const PAUSE_MS = 2;
const PRUNED_ROWS_MAX = 1_000;

/** Whether there may be something to do: asked every second, so it must cost next to nothing. */
export function isWorkDue(db: Database, nowMs: number, batchMs: number): boolean {
  if (!anyWebhook(db)) return false;
  const look = readLook(db);
  if (isLookDue(look, nowMs) || nowMs >= look.batchedAt + batchMs) return true;
  const failing = "SELECT 1 FROM webhooks WHERE failing_since <= ? LIMIT 1";
  return statement(db, failing).get(nowMs - FAILING_MAX_MS) !== undefined;
}

/** Whether an attempt is due, or one is under way: its end may be waiting to be noted. */
export function isAttemptDue(db: Database, nowMs: number): boolean {
  const due = `
    SELECT 1 FROM webhooks w WHERE (
      SELECT min(next_attempt_at) FROM webhook_deliveries
      WHERE webhook_id = w.id AND state = 'pending') <= ? LIMIT 1`;
  return statement(db, due).get(nowMs) !== undefined;
}

/**
 * The start of what webhooks need by the clock: notes that somebody looks, drops the queues of
 * organizations that get no events, and starts a batch where one is due.
 * @returns the batch's first part of posts to cut, or null
 */
export function lookAfterWebhooks(
  db: Database,
  clock: Clock,
  { batchMs }: { batchMs: number },
): Promise<Part | null> {
  return inTransaction(db, clock, "webhooks-look", () => {
    const nowMs = clock.now();
    noteLook(db, nowMs);
    dropUnserved(db, nowMs);
    if (nowMs < readLook(db).batchedAt + batchMs) return null;
    statement(db, "UPDATE webhook_look SET batched_at = ?").run(nowMs);
    return nextPart(db);
  });
}

/** Cuts a part's posts for some of its webhooks: a transaction that others need not wait long for. */
export function cutPart(db: Database, clock: Clock, { webhookIds, last }: Part): Promise<void> {
  return inTransaction(db, clock, "cut-events", () => {
    const nowMs = clock.now();
    noteLook(db, nowMs);
    for (const id of webhookIds) cutEvents(db, id, last, nowMs);
  });
}

/** Ends a part whose webhooks have all been cut. @returns the next one, or null */
export function leavePart(
  db: Database,
  clock: Clock,
  part: Pick<Part, "last">,
): Promise<Part | null> {
  return inTransaction(db, clock, "cut-events", () => {
    endPart(db, part);
    return nextPart(db);
  });
}

/** Disables what has failed for a day. @returns the numbers of those webhooks */
export function disableFailed(db: Database, clock: Clock, _argument: null): Promise<number[]> {
  return inTransaction(db, clock, "disable-failed", () => disableFailing(db, clock.now()));
}

/** Removes deliveries and bodies that are old enough. */
export async function pruneDeliveries(db: Database, clock: Clock): Promise<void> {
  const removePart = (): Promise<number> =>
    inTransaction(db, clock, "prune-deliveries", () =>
      deleteOldDeliveries(db, clock.now(), PRUNED_ROWS_MAX),
    );
  while ((await removePart()) > 0) await clock.sleep(PAUSE_MS);
}

/** Nothing is attempted for them, and the day after which a webhook is disabled does not run. */
function dropUnserved(db: Database, nowMs: number): void {
  const waiting = statement<{ id: number; organizationId: number }>(
    db,
    `SELECT id, organization_id AS organizationId FROM webhooks w
     WHERE failing_since IS NOT NULL OR EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending')`,
  ).all();
  for (const { id, organizationId } of waiting) {
    if (isServed(db, organizationId, nowMs)) continue;
    dropQueue(db, id);
    updateWebhook(db, id, { failingSince: null });
  }
}

/**
 * Disables what has failed for a day. Where nobody made the attempts for more than an hour of it,
 * those that fell due meanwhile come first (decisions, section 6).
 */
function disableFailing(db: Database, nowMs: number): number[] {
  const failed = statement<{ id: number }>(
    db,
    `SELECT id FROM webhooks w
     WHERE failing_since <= @failedFrom AND disabled_reason = '' AND (
       down_ms <= @downMax OR NOT EXISTS (
         SELECT 1 FROM webhook_deliveries
         WHERE webhook_id = w.id AND state = 'pending' AND next_attempt_at <= @overdueUntil))`,
  ).all({
    failedFrom: nowMs - FAILING_MAX_MS,
    downMax: DOWN_MAX_MS,
    overdueUntil: readLook(db).overdueUntil,
  });
  for (const { id } of failed) disableForFailures(db, id, nowMs);
  return failed.map(({ id }) => id);
}

function disableForFailures(db: Database, id: number, nowMs: number): void {
  const webhook = selectWebhook(db, id);
  if (webhook === undefined) return;
  disable(db, id, "failures", nowMs);
  const accounts = createAccountsStore(db);
  const managers = accounts
    .membersOf(webhook.organizationId)
    .filter(({ role, suspendedAt }) => role !== "member" && suspendedAt === null);
  const organization = accounts.organization(webhook.organizationId)?.name ?? "";
  const mail = disabledMail(webhook, organization);
  // A message each: what one server refuses for one must not be sent to the others again.
  for (const { email } of managers) queueMail(db, nowMs, { to: [email], ...mail });
}
