import { createAccountsStore } from "../accounts/accounts.store.ts";
import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { queueMail } from "../mail/mails.store.ts";
import { DAY_MS } from "../moscow-time.ts";
import type { Clock } from "../ports/clock.ts";
import { cutEvents } from "./cut-events.ts";
import { deleteOldDeliveries } from "./deliveries.store.ts";
import { disabledMail } from "./disabled-mail.ts";
import { isServed } from "./served.ts";
import { disable, dropQueue, selectWebhook, updateWebhook } from "./webhooks.store.ts";

/** A webhook that fails for so long is disabled (specification, section 6). */
const FAILING_MAX_MS = DAY_MS;
/** How much of that time may have passed without a process that would have made the attempts. */
const DOWN_MAX_MS = 60 * 60 * 1000;
/** How often a process notes that it looks. */
const LOOK_EVERY_MS = 30_000;
/** Between two looks, after which nobody can have been looking. */
const GAP_MS = 3 * LOOK_EVERY_MS;
/** What fell due while nobody looked is attempted within so long. */
const SPREAD_MS = 45_000;
/** A clock that is set back a little changes nothing. */
const SET_BACK_MS = 1_000;
/** Between two transactions of a long piece of work, so that other writers get in. */
const PAUSE_MS = 2;
const PRUNED_ROWS_MAX = 1_000;

interface LookClock {
  batchedAt: number;
  lookedAt: number | null;
}

/** Whether there may be something to do: asked every second, so it must cost next to nothing. */
export function isWorkDue(db: Database, nowMs: number, batchMs: number): boolean {
  const row = statement<LookClock & { hasWebhooks: number; failing: number | null }>(
    db,
    `SELECT batched_at AS batchedAt, looked_at AS lookedAt,
       EXISTS (SELECT 1 FROM webhooks) AS hasWebhooks,
       (SELECT min(failing_since) FROM webhooks WHERE failing_since IS NOT NULL) AS failing
     FROM webhook_clock`,
  ).get();
  if (row === undefined || row.hasWebhooks === 0) return false;
  const { batchedAt, lookedAt, failing } = row;
  return (
    isLookDue({ batchedAt, lookedAt }, nowMs) ||
    nowMs >= batchedAt + batchMs ||
    (failing !== null && nowMs >= failing + FAILING_MAX_MS)
  );
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
 * What webhooks need by the clock, but for the attempts: notes that somebody looks and mends due
 * times where nobody did, drops the queues of organizations that get no events, cuts the posts read
 * since the last batch into events, disables webhooks that failed for a day.
 * @returns the numbers of the webhooks that were disabled
 */
export async function runDueWork(
  db: Database,
  clock: Clock,
  { batchMs }: { batchMs: number },
): Promise<number[]> {
  await inTransaction(db, clock, () => {
    noteLook(db, clock.now());
    dropUnserved(db, clock.now());
  });
  let isMore = await inTransaction(db, clock, () => startBatch(db, clock.now(), batchMs));
  while (isMore) {
    await clock.sleep(PAUSE_MS);
    isMore = await inTransaction(db, clock, () => cutEvents(db, clock.now()));
  }
  return inTransaction(db, clock, () => disableFailing(db, clock.now()));
}

/** Removes deliveries and bodies that are old enough. */
export async function pruneDeliveries(db: Database, clock: Clock): Promise<void> {
  while (
    (await inTransaction(db, clock, () => deleteOldDeliveries(db, clock.now(), PRUNED_ROWS_MAX))) >
    0
  ) {
    await clock.sleep(PAUSE_MS);
  }
}

function lookClock(db: Database): LookClock {
  const row = statement<LookClock>(
    db,
    "SELECT batched_at AS batchedAt, looked_at AS lookedAt FROM webhook_clock",
  ).get();
  if (row === undefined) throw new Error("the table webhook_clock has no row");
  return row;
}

function isLookDue({ lookedAt }: LookClock, nowMs: number): boolean {
  return lookedAt === null || nowMs >= lookedAt + LOOK_EVERY_MS || nowMs < lookedAt - SET_BACK_MS;
}

function noteLook(db: Database, nowMs: number): void {
  const look = lookClock(db);
  if (!isLookDue(look, nowMs)) return;
  const gapMs = nowMs - (look.lookedAt ?? nowMs);
  if (gapMs < 0) setBack(db, -gapMs);
  if (gapMs > GAP_MS) {
    noteDownTime(db, nowMs, gapMs);
    spreadOverdue(db, nowMs);
  }
  statement(db, "UPDATE webhook_clock SET looked_at = ?").run(nowMs);
}

/** The clock was set back: what was due in a minute must not become due in a day and a minute. */
function setBack(db: Database, byMs: number): void {
  for (const sql of [
    "UPDATE webhook_clock SET batched_at = batched_at - ?",
    `UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - ? WHERE state = 'pending'`,
    "UPDATE webhook_deliveries SET claimed_until = claimed_until - ? WHERE claimed_until IS NOT NULL",
    "UPDATE webhooks SET failing_since = failing_since - ? WHERE failing_since IS NOT NULL",
    "UPDATE webhooks SET tested_at = tested_at - ? WHERE tested_at IS NOT NULL",
    `UPDATE webhooks SET former_secret_until = former_secret_until - ?
     WHERE former_secret_until IS NOT NULL`,
  ]) {
    statement(db, sql).run(byMs);
  }
}

function noteDownTime(db: Database, nowMs: number, gapMs: number): void {
  statement(
    db,
    `UPDATE webhooks SET down_ms = down_ms + min(@gapMs, @nowMs - failing_since)
     WHERE failing_since < @nowMs`,
  ).run({ gapMs, nowMs });
}

/** What fell due meanwhile is not attempted all at once. */
function spreadOverdue(db: Database, nowMs: number): void {
  const overdue = statement<{ id: number }>(
    db,
    `SELECT id FROM webhook_deliveries
     WHERE state = 'pending' AND next_attempt_at < ? ORDER BY next_attempt_at, id`,
  ).all(nowMs);
  const stepMs = Math.min(LOOK_EVERY_MS, SPREAD_MS / overdue.length);
  const put = statement(db, "UPDATE webhook_deliveries SET next_attempt_at = ? WHERE id = ?");
  for (const [place, { id }] of overdue.entries()) put.run(nowMs + Math.floor(place * stepMs), id);
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

/** Cuts the first part of a batch where one is due. @returns whether the batch has more parts */
function startBatch(db: Database, nowMs: number, batchMs: number): boolean {
  if (nowMs < lookClock(db).batchedAt + batchMs) return false;
  statement(db, "UPDATE webhook_clock SET batched_at = ?").run(nowMs);
  return cutEvents(db, nowMs);
}

/**
 * Disables what has failed for a day. Where nobody made the attempts for more than an hour of it,
 * those that are due come first (decisions, section 6).
 */
function disableFailing(db: Database, nowMs: number): number[] {
  const failed = statement<{ id: number }>(
    db,
    `SELECT id FROM webhooks w
     WHERE failing_since <= @failedFrom AND disabled_reason = '' AND (
       down_ms <= @downMax OR NOT EXISTS (
         SELECT 1 FROM webhook_deliveries
         WHERE webhook_id = w.id AND state = 'pending'
           AND (next_attempt_at <= @spreadUntil OR claimed_until > @nowMs)))`,
  ).all({
    failedFrom: nowMs - FAILING_MAX_MS,
    downMax: DOWN_MAX_MS,
    // They may have been spread over the time after the process came back.
    spreadUntil: nowMs + SPREAD_MS,
    nowMs,
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
  if (managers.length === 0) return;
  queueMail(db, nowMs, {
    to: managers.map(({ email }) => email),
    ...disabledMail(webhook, accounts.organization(webhook.organizationId)?.name ?? ""),
  });
}
