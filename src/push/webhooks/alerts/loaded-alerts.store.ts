import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { queryNow } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import type { AlertCriteria } from "./alert-index.ts";
import { type Alert, alertChanges, alerts } from "./alerts.table.ts";

/** What matching needs of an alert. */
export interface LoadedAlert extends AlertCriteria, Pick<Alert, "id" | "sentDay" | "sentPosts"> {
  /** Of its webhook; empty while that is active. */
  disabledReason: string;
}

const { id, q, channelId, category, territory, isAd, sentDay, sentPosts } = alerts;
const { disabledReason } = webhooks;
const columns = { id, q, channelId, category, territory, isAd, sentDay, sentPosts, disabledReason };

export const selectLoadedAlert = queryNow((db, { id }: { id: number }) =>
  db
    .select(columns)
    .from(alerts)
    .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
    .where(eq(alerts.id, id)),
).one;

/** Alerts with numbers above `after`, ascending. */
export const selectLoadedAlertsAfter = queryNow(
  (db, { after, limit }: { after: number; limit: number }) =>
    db
      .select(columns)
      .from(alerts)
      .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
      .where(gt(alerts.id, after))
      .orderBy(asc(alerts.id))
      .limit(limit),
).all;

const changes = queryNow((db, { after, last }: { after: number; last: number }) =>
  db
    .select({ alertId: alertChanges.alertId })
    .from(alertChanges)
    .where(and(gt(alertChanges.version, after), lte(alertChanges.version, last))),
).all;

/**
 * Alerts that were changed, from the change after `after` up to `last`; one may occur several times.
 * @returns null if some of these changes are no longer recorded
 */
export function selectAlertChanges(db: Database, after: number, last: number): number[] | null {
  const ids = changes(db, { after, last }).map(({ alertId }) => alertId);
  return ids.length === last - after ? ids : null;
}
