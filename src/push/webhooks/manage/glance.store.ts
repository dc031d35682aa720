import { and, desc, eq } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { query } from "../../../db/query.ts";
import { webhookAttempts, webhookBodies, webhookDeliveries } from "../delivery/deliveries.table.ts";
import { attemptView } from "./deliveries-log.store.ts";
import type { DeliveryView } from "./webhook-views.ts";

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
