import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { query } from "../../../db/query.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { webhookAttempts, webhookDeliveries } from "../delivery/deliveries.table.ts";
import type { DeliveryState } from "../events/event-body.ts";
import type { DeliveryView } from "./webhook-views.ts";

export interface DeliverySelection {
  webhookId: number;
  /** Deliveries with smaller numbers only; null: all. */
  before: number | null;
  limit: number;
  nowMs: number;
}

const page = query((db) =>
  db
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, sql.placeholder("webhookId")),
        lt(webhookDeliveries.id, sql.placeholder("before")),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(sql.placeholder("limit")),
);
const attemptsOf = query((db) =>
  db
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.deliveryId, sql.placeholder("id")))
    .orderBy(asc(webhookAttempts.id)),
);

/** A page of a webhook's deliveries, newest first. */
export async function selectDeliveries(
  db: Database,
  { webhookId, before, limit, nowMs }: DeliverySelection,
): Promise<{ results: DeliveryView[]; last: readonly [number] | null }> {
  // One more than the page tells whether there is another.
  const until = before ?? Number.MAX_SAFE_INTEGER;
  const rows = await page(db).all({ webhookId, before: until, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const results: DeliveryView[] = [];
  for (const row of shown) {
    const attempts = await attemptsOf(db).all({ id: row.id });
    results.push({
      delivery: row.id,
      event: row.event,
      created_at: formatInstant(row.createdAt),
      posts: [...row.posts],
      state: stateOf(row, nowMs),
      attempts: attempts.map(({ attemptedAt, status, error, durationMs }) => ({
        attempted_at: formatInstant(attemptedAt),
        status,
        error,
        duration_ms: durationMs,
      })),
      next_attempt_at: row.nextAttemptAt === null ? null : formatInstant(row.nextAttemptAt),
    });
  }
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { results, last: last === undefined ? null : [last.id] };
}

/** One that failed is attempted once more where somebody asked for it. */
function stateOf(
  { state, claimedUntil }: typeof webhookDeliveries.$inferSelect,
  nowMs: number,
): DeliveryState {
  return state === "failed" && (claimedUntil ?? 0) > nowMs ? "pending" : state;
}
