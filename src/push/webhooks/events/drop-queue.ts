import { type Database, statement } from "../../../db/database.ts";
import { inParts } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { isServed } from "./served.ts";

/** Deliveries that are dropped in one step: some milliseconds of the lock. */
const DROPPED_MAX = 200;

/**
 * Drops some of what waits for an attempt of a webhook, in the caller's transaction.
 * @returns whether more may be waiting
 */
export function dropSome(db: Database, webhookId: number): boolean {
  const { changes } = statement(
    db,
    `UPDATE webhook_deliveries SET state = 'dropped', next_attempt_at = NULL
     WHERE id IN (SELECT id FROM webhook_deliveries
                  WHERE webhook_id = ? AND state = 'pending' LIMIT ${DROPPED_MAX})`,
  ).run(webhookId);
  return changes === DROPPED_MAX;
}

/** Drops all that waits, in the caller's transaction: for a queue that was emptied just before. */
export function dropRest(db: Database, webhookId: number): void {
  while (dropSome(db, webhookId)) {
    // Each step drops some.
  }
}

/**
 * Empties the queues of webhooks that get no events, however long they are: nothing is attempted of
 * them meanwhile, since claims look at the webhook itself. One that gets events again is left alone.
 */
export async function emptyQueues(
  db: Database,
  clock: Clock,
  webhookIds: readonly number[],
): Promise<void> {
  for (const id of webhookIds) {
    await inParts(
      db,
      clock,
      "webhook-queue",
      () => !getsEvents(db, id, clock.now()) && dropSome(db, id),
    );
  }
}

function getsEvents(db: Database, webhookId: number, nowMs: number): boolean {
  const webhook = statement<{ organizationId: number }>(
    db,
    `SELECT organization_id AS organizationId FROM webhooks
     WHERE id = ? AND disabled_reason = ''`,
  ).get(webhookId);
  return webhook !== undefined && isServed(db, webhook.organizationId, nowMs);
}

/** Webhooks that get no events, and of which something waits all the same or a day of failures runs. */
export function deadQueues(db: Database, nowMs: number): number[] {
  const waiting = statement<{ id: number; organizationId: number; isDisabled: number }>(
    db,
    `SELECT id, organization_id AS organizationId, disabled_reason <> '' AS isDisabled
     FROM webhooks w
     WHERE failing_since IS NOT NULL OR EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending')`,
  ).all();
  return waiting
    .filter((one) => one.isDisabled === 1 || !isServed(db, one.organizationId, nowMs))
    .map(({ id }) => id);
}
