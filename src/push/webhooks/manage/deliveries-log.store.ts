import { type Database, statement } from "../../../db/database.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import type { DeliveryState, EventKind } from "../events/event-body.ts";
import type { DeliveryView } from "./webhook-views.ts";

export interface DeliverySelection {
  webhookId: number;
  /** Deliveries with smaller numbers only; null: all. */
  before: number | null;
  limit: number;
  nowMs: number;
}

/** A page of a webhook's deliveries, newest first. */
export function selectDeliveries(
  db: Database,
  { webhookId, before, limit, nowMs }: DeliverySelection,
): { results: DeliveryView[]; last: readonly [number] | null } {
  const rows = statement<{
    id: number;
    event: EventKind;
    createdAt: number;
    posts: string;
    state: DeliveryState;
    nextAttemptAt: number | null;
  }>(
    db,
    `SELECT id, event, created_at AS createdAt, posts, next_attempt_at AS nextAttemptAt,
       iif(state = 'failed' AND claimed_until > @nowMs, 'pending', state) AS state
     FROM webhook_deliveries WHERE webhook_id = @webhookId AND id < @before
     ORDER BY id DESC LIMIT @limit`,
  ).all({ webhookId, nowMs, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 });
  const attempts = statement<{
    attemptedAt: number;
    status: number | null;
    error: string;
    durationMs: number;
  }>(
    db,
    `SELECT attempted_at AS attemptedAt, status, error, duration_ms AS durationMs
     FROM webhook_attempts WHERE delivery_id = ? ORDER BY id`,
  );
  const shown = rows.slice(0, limit);
  const views = shown.map((row) => ({
    delivery: row.id,
    event: row.event,
    created_at: formatInstant(row.createdAt),
    posts: JSON.parse(row.posts) as number[],
    state: row.state,
    attempts: attempts.all(row.id).map(({ attemptedAt, status, error, durationMs }) => ({
      attempted_at: formatInstant(attemptedAt),
      status,
      error,
      duration_ms: durationMs,
    })),
    next_attempt_at: row.nextAttemptAt === null ? null : formatInstant(row.nextAttemptAt),
  }));
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { results: views, last: last === undefined ? null : [last.id] };
}
