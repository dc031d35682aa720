import { type Database, statement } from "../../../db/database.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import type { EventKind } from "../events/event-body.ts";

/** What an attempt needs of a delivery. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  event: EventKind;
  url: string;
  /** Sealed. */
  secret: Uint8Array;
  /** Sealed; null where only the present one signs. */
  formerSecret: Uint8Array | null;
  body: string;
  /** Whose attempt it is: only with it the attempt's end is noted. */
  claim: string;
}

/** Longer than any attempt with the commits around it: a crashed one's claim comes back after it. */
const LEASE_MS = 30_000;

/** A post event is due at once. @returns the delivery's number */
export function addDelivery(
  db: Database,
  delivery: {
    webhookId: number;
    event: EventKind;
    postIds: readonly number[];
    body: string;
    nowMs: number;
  },
): number {
  const { webhookId, event, postIds, body, nowMs } = delivery;
  // A ping has one attempt, by whoever asked for it; so it never waits for one.
  const [state, dueAt] = event === "ping" ? ["failed", null] : ["pending", nowMs];
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO webhook_deliveries (webhook_id, event, posts, created_at, state, next_attempt_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(webhookId, event, JSON.stringify(postIds), nowMs, state, dueAt);
  const id = Number(lastInsertRowid);
  statement(db, "INSERT INTO webhook_bodies (delivery_id, body) VALUES (?, ?)").run(id, body);
  return id;
}

export interface DeliveryRow {
  webhookId: number;
  event: EventKind;
  createdAt: number;
  claimedUntil: number | null;
}

export function selectDelivery(db: Database, id: number): DeliveryRow | undefined {
  return statement<DeliveryRow>(
    db,
    `SELECT webhook_id AS webhookId, event, created_at AS createdAt, claimed_until AS claimedUntil
     FROM webhook_deliveries WHERE id = ?`,
  ).get(id);
}

/** Takes a delivery for one attempt, in the caller's transaction. */
export function claimDelivery(
  db: Database,
  id: number,
  claim: string,
  nowMs: number,
): ClaimedDelivery | undefined {
  statement(db, "UPDATE webhook_deliveries SET claim = ?, claimed_until = ? WHERE id = ?").run(
    claim,
    nowMs + LEASE_MS,
    id,
  );
  return statement<ClaimedDelivery>(
    db,
    `SELECT d.id, d.webhook_id AS webhookId, d.event, d.claim, w.url, w.secret,
       iif(w.former_secret_until > @nowMs, w.former_secret, NULL) AS formerSecret, b.body
     FROM webhook_deliveries d
       JOIN webhooks w ON w.id = d.webhook_id
       JOIN webhook_bodies b ON b.delivery_id = d.id
     WHERE d.id = @id`,
  ).get({ id, nowMs });
}

/** Numbers of a webhook's deliveries that are due and that nobody has, those due longest first. */
export function dueDeliveries(
  db: Database,
  webhookId: number,
  nowMs: number,
  limit: number,
): number[] {
  return statement<{ id: number }>(
    db,
    `SELECT id FROM webhook_deliveries
     WHERE webhook_id = @webhookId AND state = 'pending' AND next_attempt_at <= @nowMs
       AND (claimed_until IS NULL OR claimed_until <= @nowMs)
     ORDER BY next_attempt_at, id LIMIT @limit`,
  )
    .all({ webhookId, nowMs, limit })
    .map(({ id }) => id);
}

/** Attempts of a webhook that are under way, in any process. */
export function attemptsUnderWay(db: Database, webhookId: number, nowMs: number): number {
  return (
    statement<{ claimed: number }>(
      db,
      `SELECT count(*) AS claimed FROM webhook_deliveries
       WHERE webhook_id = ? AND claimed_until > ?`,
    ).get(webhookId, nowMs)?.claimed ?? 0
  );
}

/** How long the log of attempts is kept, and the bodies of what is not waiting for an attempt. */
const LOG_DAYS = 30;
const BODY_DAYS = 2;

/** Removes some of a webhook's deliveries, in the caller's transaction. @returns how many */
export function deleteDeliveries(db: Database, webhookId: number, rowsMax: number): number {
  return statement(
    db,
    `DELETE FROM webhook_deliveries WHERE id IN
       (SELECT id FROM webhook_deliveries WHERE webhook_id = ? LIMIT ?)`,
  ).run(webhookId, rowsMax).changes;
}

/** Some rows that are old enough to be removed, by number, and what removes some of them. */
export interface OldRows {
  ids: number[];
  /** In the caller's transaction. */
  remove(ids: readonly number[]): void;
}

/** Rows that are looked for at once; outside of any transaction. */
const FOUND_MAX = 1_000;

export function oldDeliveries(db: Database, nowMs: number, after: number): OldRows {
  return {
    ids: idsOf(
      db,
      `SELECT id FROM webhook_deliveries
       WHERE id > ? AND created_at < ? AND state <> 'pending' ORDER BY id LIMIT ?`,
      [after, nowMs - LOG_DAYS * DAY_MS, FOUND_MAX],
    ),
    remove: removal(db, "DELETE FROM webhook_deliveries WHERE id = ?"),
  };
}

export function oldBodies(db: Database, nowMs: number, after: number): OldRows {
  return {
    ids: idsOf(
      db,
      `SELECT b.delivery_id AS id
       FROM webhook_bodies b CROSS JOIN webhook_deliveries d ON d.id = b.delivery_id
       WHERE b.delivery_id > ? AND d.created_at < ? AND d.state <> 'pending'
       ORDER BY b.delivery_id LIMIT ?`,
      [after, nowMs - BODY_DAYS * DAY_MS, FOUND_MAX],
    ),
    remove: removal(db, "DELETE FROM webhook_bodies WHERE delivery_id = ?"),
  };
}

function idsOf(db: Database, sql: string, values: readonly number[]): number[] {
  return statement<{ id: number }>(db, sql)
    .all(...values)
    .map(({ id }) => id);
}

function removal(db: Database, sql: string): OldRows["remove"] {
  return (ids) => {
    for (const id of ids) statement(db, sql).run(id);
  };
}
