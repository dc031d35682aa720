import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/mail.ts";
import { nextAttemptAt } from "../../values/retry-ladder.ts";

/** Longer than a server is given to take a message. */
const LEASE_MS = 120_000;
const MINUTE_MS = 60_000;
/** After each failure; a message that was not taken in two days is given up. */
const WAITS_MS = [1, 5, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);

export interface ClaimedMail extends Message {
  id: number;
  claim: string;
}

export interface EndedMail {
  id: number;
  claim: string;
  isSent: boolean;
  endedAt: number;
}

/** In the caller's transaction: the message is sent if, and only if, that is committed. */
export function queueMail(db: Database, nowMs: number, { to, subject, text, html }: Message): void {
  statement(
    db,
    `INSERT INTO mails (recipients, subject, text, html, created_at, next_attempt_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(JSON.stringify(to), subject, text, html, nowMs, nowMs);
}

export function isMailDue(db: Database, nowMs: number): boolean {
  const due = "SELECT 1 FROM mails WHERE next_attempt_at <= ? LIMIT 1";
  return statement(db, due).get(nowMs) !== undefined;
}

/** Where the clock was set back: what was due must not become due so much later. */
export function setBackMails(db: Database, byMs: number): void {
  statement(
    db,
    `UPDATE mails SET next_attempt_at = next_attempt_at - @byMs,
       claimed_until = claimed_until - @byMs`,
  ).run({ byMs });
}

/** Messages that are still to be sent. */
export function countMails(db: Database): number {
  return statement<{ n: number }>(db, "SELECT count(*) AS n FROM mails").get()?.n ?? 0;
}

/** Takes one message that is due and that nobody has. */
export function claimMail(db: Database, clock: Clock, claim: string): Promise<ClaimedMail | null> {
  return inTransaction(db, clock, "mail-claim", () => {
    const nowMs = clock.now();
    const row = statement<{ id: number; recipients: string } & Omit<Message, "to">>(
      db,
      `UPDATE mails SET claim = @claim, claimed_until = @until
       WHERE id = (SELECT id FROM mails
         WHERE next_attempt_at <= @nowMs AND (claimed_until IS NULL OR claimed_until <= @nowMs)
         ORDER BY next_attempt_at, id LIMIT 1)
       RETURNING id, recipients, subject, text, html`,
    ).get({ claim, nowMs, until: nowMs + LEASE_MS });
    if (row === undefined) return null;
    const { id, recipients, subject, text, html } = row;
    return { id, claim, to: JSON.parse(recipients) as string[], subject, text, html };
  });
}

/** @returns whether the message was given up */
export function endMail(
  db: Database,
  clock: Clock,
  { id, claim, isSent, endedAt }: EndedMail,
): Promise<boolean> {
  return inTransaction(db, clock, "mail-end", () => {
    const row = statement<{ failures: number }>(
      db,
      "UPDATE mails SET failures = failures + 1 WHERE id = ? AND claim = ? RETURNING failures",
    ).get(id, claim);
    if (row === undefined) return false;
    const next = isSent ? null : nextAttemptAt(endedAt, row.failures, WAITS_MS);
    if (next === null) {
      statement(db, "DELETE FROM mails WHERE id = ?").run(id);
      return !isSent;
    }
    statement(
      db,
      "UPDATE mails SET next_attempt_at = ?, claim = NULL, claimed_until = NULL WHERE id = ?",
    ).run(next, id);
    return false;
  });
}
