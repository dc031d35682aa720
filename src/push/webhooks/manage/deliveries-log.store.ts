import { and, asc, desc, eq, lt } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { query } from "../../../db/statement.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import type { Delivery } from "../delivery/deliveries.store.ts";
import { webhookAttempts, webhookBodies, webhookDeliveries } from "../delivery/deliveries.store.ts";
import type { DeliveryState, EventKind } from "../events/cut-events.ts";
import { type DeliveryView, type ItemPage, itemPage } from "./webhook-views.ts";

export interface DeliverySelection {
  webhookId: number;
  /** Selects deliveries with smaller numbers; null for the newest. */
  before: number | null;
  limit: number;
  nowMs: number;
}

/** A page of deliveries with their attempts, in one statement so that both are from the same instant. */
const page = query(
  (db, { webhookId, before, limit }: { webhookId: number; before: number; limit: number }) => {
    const delivery = db
      .select()
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.webhookId, webhookId), lt(webhookDeliveries.id, before)))
      .orderBy(desc(webhookDeliveries.id))
      .limit(limit)
      .as("delivery");
    return db
      .select()
      .from(delivery)
      .leftJoin(webhookAttempts, eq(webhookAttempts.deliveryId, delivery.id))
      .orderBy(desc(delivery.id), asc(webhookAttempts.id));
  },
).all;

/** A page of a webhook's deliveries, newest first. */
export async function selectDeliveries(
  db: Database,
  { webhookId, before, limit, nowMs }: DeliverySelection,
): Promise<ItemPage<DeliveryView>> {
  const until = before ?? Number.MAX_SAFE_INTEGER;
  // One more than the page holds, to see whether another page follows.
  const rows = await page(db, { webhookId, before: until, limit: limit + 1 });
  const found = new Map<number, DeliveryView>();
  for (const { delivery, webhook_attempts: attempt } of rows) {
    const view: DeliveryView = found.get(delivery.id) ?? {
      delivery: delivery.id,
      // The operator's events go to the operator's webhooks only, whose log has a schema of its own.
      event: delivery.event as EventKind,
      created_at: formatInstant(delivery.createdAt),
      posts: [...delivery.posts],
      state: stateOf(delivery, nowMs),
      attempts: [],
      next_attempt_at:
        delivery.nextAttemptAt === null ? null : formatInstant(delivery.nextAttemptAt),
    };
    found.set(delivery.id, view);
    if (attempt === null) continue;
    view.attempts.push(attemptView(attempt));
  }
  const views = [...found].map(([id, view]) => ({ id, view }));
  return itemPage(views, limit, ({ view }) => view);
}

/** An attempt as the API returns it. */
function attemptView({
  attemptedAt,
  status,
  error,
  durationMs,
}: typeof webhookAttempts.$inferSelect): DeliveryView["attempts"][number] {
  return { attempted_at: formatInstant(attemptedAt), status, error, duration_ms: durationMs };
}

/** The state to show: a failed delivery counts as pending while it is being resent. */
function stateOf({ state, claimedUntil }: Delivery, nowMs: number): DeliveryState {
  return state === "failed" && (claimedUntil ?? 0) > nowMs ? "pending" : state;
}

/** Newest deliveries to search for the latest attempts: older deliveries may have been attempted last. */
const DELIVERIES_LOOKED_AT = 200;

export type RecentAttempt = DeliveryView["attempts"][number] & { delivery: number };

const recent = query((db, { webhookId, limit }: { webhookId: number; limit: number }) => {
  const latest = db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.webhookId, webhookId))
    .orderBy(desc(webhookDeliveries.id))
    .limit(DELIVERIES_LOOKED_AT)
    .as("latest");
  return db
    .select({ attempt: webhookAttempts })
    .from(latest)
    .innerJoin(webhookAttempts, eq(webhookAttempts.deliveryId, latest.id))
    .orderBy(desc(webhookAttempts.id))
    .limit(limit);
}).all;

/** The latest attempts of a webhook's recent deliveries, oldest first. */
export async function selectRecentAttempts(
  db: Database,
  { webhookId, limit }: { webhookId: number; limit: number },
): Promise<RecentAttempt[]> {
  const rows = await recent(db, { webhookId, limit });
  return rows
    .reverse()
    .map(({ attempt }) => ({ delivery: attempt.deliveryId, ...attemptView(attempt) }));
}

/** A delivery's body, byte for byte; null if the webhook has no such delivery. */
export const selectBody = query((db, { webhookId, id }: { webhookId: number; id: number }) =>
  db
    .select({ body: webhookBodies.body })
    .from(webhookDeliveries)
    .innerJoin(webhookBodies, eq(webhookBodies.deliveryId, webhookDeliveries.id))
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.webhookId, webhookId))),
).value;
