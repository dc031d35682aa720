import { type Database, statement } from "../../../db/database.ts";
import { setBackMails } from "../../mail/mails.store.ts";

/** How often a process notes that it looks. */
const LOOK_EVERY_MS = 30_000;
/** Between two looks, after which nobody can have been looking. */
const GAP_MS = 3 * LOOK_EVERY_MS;
/** What fell due while nobody looked is attempted within so long. */
const SPREAD_MS = 45_000;
/** Between two of those attempts at the most. */
const SPREAD_STEP_MAX_MS = 1_000;
/** A clock that is set back a little changes nothing. */
const SET_BACK_MS = 1_000;

/** What is kept of the time that webhooks live by. */
export interface Look {
  /** When events were cut last. */
  batchedAt: number;
  /** When a process last noted that it looks; null: never. */
  lookedAt: number | null;
  /** What fell due while nobody looked is attempted by then. */
  overdueUntil: number;
}

export function readLook(db: Database): Look {
  const row = statement<Look>(
    db,
    `SELECT batched_at AS batchedAt, looked_at AS lookedAt, overdue_until AS overdueUntil
     FROM webhook_look`,
  ).get();
  if (row === undefined) throw new Error("the table webhook_look has no row");
  return row;
}

export function isLookDue({ lookedAt }: Look, nowMs: number): boolean {
  return lookedAt === null || nowMs >= lookedAt + LOOK_EVERY_MS || nowMs < lookedAt - SET_BACK_MS;
}

/**
 * Notes, in the caller's transaction, that somebody looks, and mends due times where nobody did or
 * where the clock was set back. Comes before anything that writes a due time.
 */
export function noteLook(db: Database, nowMs: number): void {
  const look = readLook(db);
  if (!isLookDue(look, nowMs)) return;
  const gapMs = nowMs - (look.lookedAt ?? nowMs);
  if (gapMs < 0) setBack(db, -gapMs);
  if (gapMs > GAP_MS) {
    noteDownTime(db, nowMs, gapMs);
    spreadOverdue(db, nowMs);
  }
  statement(db, "UPDATE webhook_look SET looked_at = ?").run(nowMs);
}

/** What was due in a minute must not become due in a day and a minute. */
function setBack(db: Database, byMs: number): void {
  for (const sql of [
    "UPDATE webhook_look SET batched_at = batched_at - @byMs, overdue_until = overdue_until - @byMs",
    `UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - @byMs
     WHERE state = 'pending'`,
    `UPDATE webhook_deliveries SET claimed_until = claimed_until - @byMs
     WHERE claimed_until IS NOT NULL`,
    "UPDATE webhooks SET failing_since = failing_since - @byMs WHERE failing_since IS NOT NULL",
    "UPDATE webhooks SET tested_at = tested_at - @byMs WHERE tested_at IS NOT NULL",
    `UPDATE webhooks SET former_secret_until = former_secret_until - @byMs
     WHERE former_secret_until IS NOT NULL`,
  ]) {
    statement(db, sql).run({ byMs });
  }
  setBackMails(db, byMs);
}

function noteDownTime(db: Database, nowMs: number, gapMs: number): void {
  statement(
    db,
    `UPDATE webhooks SET down_ms = down_ms + min(@gapMs, @nowMs - failing_since)
     WHERE failing_since < @nowMs`,
  ).run({ gapMs, nowMs });
}

/** Due times that are moved in one transaction; what is beyond them waits for a place anyway. */
const SPREAD_DELIVERIES_MAX = 2_000;

/** What fell due meanwhile is not attempted all at once. */
function spreadOverdue(db: Database, nowMs: number): void {
  const overdue = statement<{ id: number; dueAt: number }>(
    db,
    `SELECT d.id, d.next_attempt_at AS dueAt
     FROM webhooks w CROSS JOIN webhook_deliveries d
       ON d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at < ?
     LIMIT ${SPREAD_DELIVERIES_MAX}`,
  )
    .all(nowMs)
    .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
  const stepMs = Math.min(SPREAD_STEP_MAX_MS, SPREAD_MS / overdue.length);
  const put = statement(db, "UPDATE webhook_deliveries SET next_attempt_at = ? WHERE id = ?");
  for (const [place, { id }] of overdue.entries()) put.run(nowMs + Math.floor(place * stepMs), id);
  statement(db, "UPDATE webhook_look SET overdue_until = ?").run(nowMs + SPREAD_MS);
}
